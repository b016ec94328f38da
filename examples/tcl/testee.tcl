#!/usr/bin/env tclsh
# A testee in Tcl 8.6 with tcllib (apt install tcllib), which reads its JSON: a Java-compatible
# partitioner, and below it the protocol (docs/protocol.md). From the root of the repository:
#     kafka-conformance testee --profile quick -- tclsh examples/tcl/testee.tcl
package require json

# ---- The partitioner: what your client has already ----

# Tcl's numbers have no end; the mask makes them wrap as Java's int does.
proc murmur2 {key} {
    lassign {0x5bd1e995 0xffffffff} m mask
    set h [expr {0x9747b28c ^ [set length [string length $key]]}]
    binary scan $key iu* words    ;# four bytes each, unsigned, least significant first
    foreach word $words {
        set k [expr {$word * $m & $mask}]
        set h [expr {($h * $m ^ ($k ^ $k >> 24) * $m) & $mask}]
    }
    if {$length % 4} {    ;# one to three bytes are left, filled up with zeros
        binary scan [string range $key end-[expr {$length % 4 - 1}] end]\0\0\0 iu left
        set h [expr {($h ^ $left) * $m & $mask}]
    }
    set h [expr {($h ^ $h >> 13) * $m & $mask}]
    return [expr {$h ^ $h >> 15}]
}

# Java's mask, which is not an absolute value: -1 becomes 2147483647.
proc positive {number} { return [expr {$number & 0x7fffffff}] }

# A negative count acts as its absolute value, but Tcl's % takes the sign of its right side.
proc by_key {key count} { return [expr {[positive [murmur2 $key]] % abs($count)}] }

# Whose turn it is among partitions {id leader}, the leader "null" where there is none: the ids of
# the available ones go round. If there are none, it is an index below the count, and not an id.
proc by_turn {counter partitions} {
    set available [lmap p $partitions { if {[lindex $p 1] eq "null"} continue; lindex $p 0 }]
    if {$available eq {}} { return [expr {[positive $counter] % [llength $partitions]}] }
    return [lindex $available [expr {[positive $counter] % [llength $available]}]]
}

# ---- The testee: the suite's questions, put to the partitioner ----
# json::json2dict makes the text "null" of JSON's null, so a topic's name cannot be null: "cannot".
set hello {{"type": "hello", "protocol": 1, "name": "the example in Tcl", "version": "1",
    "language": "Tcl", "behaviours": {
        "keyed": {"mode": "exact", "records": true, "cannot": ["null topics"]},
        "round-robin": {"mode": "exact", "records": true, "cannot": ["null topics"]},
        "round-robin-null-key": {"mode": "statistical"}}}}

proc array_of {items} { return "\[[join $items ,]\]" }
proc partitions_of {topic snapshot} {
    if {$snapshot eq "null"} { throw {NULL} "there is no metadata" }
    foreach entry $snapshot { if {[lindex $entry 0] eq $topic} { return [lindex $entry 1] } }
    return {}    ;# an unknown topic has no partitions
}
proc bytes {key} {
    if {$key eq "null"} { throw {NULL} "there is no key" }
    return [binary decode hex [dict get $key hex]]
}
proc answer {question case step counters_name} {
    upvar $counters_name counters
    dict with step {}    ;# its members, op and so on, become variables
    if {$op eq "partition for key"} { return [by_key [bytes $key] $partitions] }
    set snapshot [lindex [dict get $case metadata] $metadata]
    if {[dict get $question behaviour] eq "keyed"} {
        return [by_key [bytes $key] [llength [partitions_of $topic $snapshot]]]
    }
    if {[dict get $question client] eq "3.2.3"} { partitions_of $topic $snapshot }    ;# may fail
    dict incr counters $topic    ;# and 3.8.0 counts before it fails
    return [by_turn [expr {[dict get $counters $topic] - 1}] [partitions_of $topic $snapshot]]
}
proc traces {question} {
    return [lmap case [dict get $question cases] {
        if {[catch {dict get $case config counters} counters]} { set counters {} }    ;# afresh
        array_of [lmap step [dict get $case steps] {    ;# Java's errors are compared by kind
            try { answer $question $case $step counters
            } trap NULL {} { set _ {{"error": "null"}}
            } trap {ARITH DIVZERO} {} { set _ {{"error": "arithmetic"}} }
        }]
    }]
}
proc partitions {question} {    # many records of one topic
    dict with question {}
    if {$behaviour eq "keyed"} {
        return [lmap key $keys { by_key [binary decode hex $key] [llength $partitions] }]
    }
    set counter [expr {$behaviour eq "round-robin" ? -1 : int(rand() * 2**32)}]
    return [lmap _ [lrepeat $count {}] { by_turn [incr counter] $partitions }]
}

fconfigure stdin -encoding utf-8
fconfigure stdout -translation lf -buffering line
while {[gets stdin line] >= 0} {
    set question [json::json2dict $line]
    switch [dict get $question type] {
        hello { puts [string map {\n { }} $hello]; continue }
        cases { set type traces }
        records { set type partitions }
    }
    set answers [array_of [$type $question]]    ;# numbers and errors are JSON already
    puts "{\"type\": \"$type\", \"id\": [dict get $question id], \"$type\": $answers}"
}
