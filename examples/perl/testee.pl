#!/usr/bin/env perl
# A testee in Perl 5, with nothing but what comes with Perl: a Java-compatible partitioner, and
# below it the protocol (docs/protocol.md). From the root of the repository:
#     kafka-conformance testee --profile quick -- perl examples/perl/testee.pl
use strict;
use warnings;
use JSON::PP;

# ---- The partitioner: what your client has already ----

# Perl multiplies two numbers of 32 bits exactly, in 64; the mask wraps them as Java's int does.
sub times_m { return $_[0] * 0x5bd1e995 & 0xffffffff }

sub murmur2 {
    my ($key) = @_;
    die "there is no key\n" unless defined $key;
    my $h = 0x9747b28c ^ length $key;
    for my $word (unpack 'V*', $key) {    # four bytes each, least significant first
        my $k = times_m($word);
        $h = times_m($h) ^ times_m($k ^ $k >> 24);
    }
    if (my $left = length($key) % 4) {    # one to three bytes are left, filled up with zeros
        $h = times_m($h ^ unpack 'V', substr($key, -$left) . "\0\0\0");
    }
    $h = times_m($h ^ $h >> 13);
    return $h ^ $h >> 15;
}

# Java's mask, which is not an absolute value: -1 becomes 2147483647.
sub positive { return $_[0] & 0x7fffffff }

# A negative count acts as its absolute value, but Perl's % takes the sign of its right side.
sub by_key {
    my ($key, $count) = @_;
    return positive(murmur2($key)) % abs $count;
}

# Whose turn it is among partitions [id, leader], the leader undef where there is none: the ids of
# the available ones go round. If there are none, it is an index below the count, and not an id.
sub by_turn {
    my ($counter, $partitions) = @_;
    my @available = map { $_->[0] } grep { defined $_->[1] } @$partitions;
    return positive($counter) % @$partitions if !@available;
    return $available[positive($counter) % @available];
}

# ---- The testee: the suite's questions, put to the partitioner ----
my %behaviours = (    # records without key go as in 2.3.1; their counter starts anywhere
    'keyed' => {mode => 'exact', records => JSON::PP::true},
    'round-robin' => {mode => 'exact', records => JSON::PP::true},
    'round-robin-null-key' => {mode => 'statistical'});

sub partitions_of {
    my ($topic, $snapshot) = @_;
    die "there is no metadata\n" unless $snapshot;
    my ($found) = grep { defined $topic && $_->[0] eq $topic } @$snapshot;
    return $found ? $found->[1] : [];    # an unknown topic has no partitions
}
sub answer {
    my ($question, $step, $snapshot, $counters) = @_;
    my ($topic, $key) = ($step->{topic}, $step->{key} && pack 'H*', $step->{key}{hex});
    return by_key($key, $step->{partitions}) if $step->{op} eq 'partition for key';
    return by_key($key, scalar @{partitions_of($topic, $snapshot)})
        if $question->{behaviour} eq 'keyed';
    partitions_of($topic, $snapshot) if $question->{client} eq '3.2.3';    # fails before it counts
    die "there is no topic\n" unless defined $topic;
    my $counter = $counters->{$topic}++;
    return by_turn($counter, partitions_of($topic, $snapshot));
}
sub trace {    # each case starts afresh, with counters of its own
    my ($question, $case) = @_;
    my %counters = %{$case->{config}{counters} || {}};
    my @trace;
    for my $step (@{$case->{steps}}) {
        my $snapshot = defined $step->{metadata} ? $case->{metadata}[$step->{metadata}] : undef;
        push @trace, eval { answer($question, $step, $snapshot, \%counters) };
        next if !$@;    # Java's errors are compared by kind; Perl's says "Illegal modulus zero"
        my $kind = $@ =~ /modulus zero/ ? 'arithmetic' : $@ =~ /^there is no/ ? 'null' : 'other';
        push @trace, {error => $kind, message => $@};
    }
    return \@trace;
}
sub partitions {    # many records of one topic
    my ($q) = @_;
    return [map { by_key(pack('H*', $_), scalar @{$q->{partitions}}) } @{$q->{keys}}] if $q->{keys};
    my $counter = $q->{behaviour} eq 'round-robin' ? 0 : int rand 2**32;
    return [map { by_turn($counter++, $q->{partitions}) } 1 .. $q->{count}];
}

$| = 1;    # write each line at once
my $json = JSON::PP->new->utf8;
while (my $line = <STDIN>) {
    my $q = $json->decode($line);
    my @answer = $q->{type} eq 'hello' ? (type => 'hello', protocol => 1, version => '1',
            name => 'the example in Perl', language => "Perl $^V", behaviours => \%behaviours)
        : $q->{type} eq 'cases' ? (type => 'traces', id => $q->{id},
            traces => [map { trace($q, $_) } @{$q->{cases}}])
        : (type => 'partitions', id => $q->{id}, partitions => partitions($q));
    print $json->encode({@answer}), "\n";
}
