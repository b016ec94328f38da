"""Pictures of a simulation: nothing that happened lies outside of them."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from conformance.reports.simulation_plots import simulation_figure, simulation_svg
from conformance.simulation.brokers import ClusterPlan, Service
from conformance.simulation.quantities import MILLISECOND
from conformance.simulation.repeated import run_variants
from conformance.simulation.scenario import variants_of
from tests.simulation.collected import scenario


# The longest panel is the last one, and the first one.
@pytest.mark.parametrize("lingers_ms", [(0, 50), (50, 0)])
def test_the_axis_covers_all_that_happens_in_each_panel(lingers_ms: tuple[int, int]) -> None:
    variants = run_variants([scenario("2.3.1", linger_ms=one) for one in lingers_ms], 1)
    panels = simulation_figure(variants).axes
    assert len(panels) == 2
    for panel, variant in zip(panels, variants, strict=True):
        left, right = panel.get_xlim()
        log = variant.first.log
        assert log is not None
        times = [time for one in log.requests for time in (one.sent_us, one.ended_us)]
        times += [record.arrived_us for record in log.records]
        assert left == 0
        assert max(times) / MILLISECOND <= right
        # And all of it can be seen: no bar is higher than the panel.
        bottom, top = sorted(panel.get_ylim())
        bars = [one for one in panel.patches if isinstance(one, Rectangle)]
        assert all(bottom <= bar.get_y() <= top for bar in bars)
        assert bars


def test_the_axis_covers_all_stretches_of_each_course() -> None:
    variants = run_variants([scenario(records=600, linger_ms=one) for one in (0, 2000)], 1)
    panels = [panel for panel in simulation_figure(variants).axes if panel.get_visible()]
    assert len(panels) == 4
    for panel, variant in zip(panels[:2], variants, strict=True):
        assert variant.first.figures["seconds"] <= panel.get_xlim()[1]
    for panel in panels:
        left, right = panel.get_xlim()
        for line in panel.lines:
            times = np.asarray(line.get_xdata(), np.float64)
            assert left <= times.min()
            assert times.max() <= right


def test_a_scale_of_latencies_is_written_in_numbers() -> None:
    slow = ClusterPlan(3, 3, slow={0: Service(400_000)})
    of = scenario("2.3.1", records=600, linger_ms=0, cluster=slow)
    figure = simulation_figure(run_variants([of], 1))
    figure.draw_without_rendering()
    axis = next(panel.yaxis for panel in figure.axes if panel.get_yscale() == "log")
    labels = {label.get_text() for label in axis.get_ticklabels(which="both")}
    assert {"10", "100", "1,000"} <= labels
    assert all(re.fullmatch(r"[\d,.]*", label) for label in labels)


def test_titles_of_panels_fit() -> None:
    name = "partitioner.adaptive.partitioning.enable"
    variants = run_variants(variants_of(scenario(records=600), f"{name}=true,false"), 1)
    figure = simulation_figure(variants)
    figure.draw_without_rendering()
    titles = [one for panel in figure.axes for one in panel.findobj(Text)]
    first, second = (one.get_window_extent() for one in titles if one.get_text().startswith(name))
    assert first.x1 < second.x0
    assert second.x1 <= figure.bbox.x1
    assert f"{name}=true, {name}=false" in simulation_svg(variants)


def _titled(
    values: Sequence[int], records: int = 600, setting: str = "linger.ms", slow_us: int = 2000
) -> tuple[Figure, str]:
    of = scenario(records=records, cluster=ClusterPlan(3, 3, slow={0: Service(slow_us)}))
    variants = run_variants(variants_of(of, f"{setting}={','.join(map(str, values))}"), 1)
    figure = simulation_figure(variants)
    figure.draw_without_rendering()
    return figure, figure.get_suptitle()


def test_panels_of_many_runs_have_the_same_scales_and_all_their_times() -> None:
    figure, title = _titled((0, 5, 20, 100, 500, 2000))
    panels = [panel for panel in figure.axes if panel.get_visible()]
    assert len(panels) == 12
    # Four runs in the first block of panels, two in the second: latencies, then backlogs.
    for kind in (panels[0:4] + panels[8:10], panels[4:8] + panels[10:12]):
        assert len({panel.get_ylim() for panel in kind}) == 1
    labelled = [panel for panel in panels if panel.get_xlabel()]
    assert labelled == [*panels[6:8], *panels[10:12]]
    assert all(any(one.get_visible() for one in at.get_xticklabels()) for at in labelled)
    assert re.fullmatch(
        r"Latency p99: from .* ms \(linger.ms=\d+\) to .* \(linger.ms=2000\)", title
    )


# Records of 100 bytes and their overhead are too large for a request of 1 to 5 bytes.
@pytest.mark.parametrize("sizes", [(1000, 1001, 1002, 1003, 1, 2), (1, 2, 3, 4, 1000, 1001)])
@pytest.mark.filterwarnings("error")
def test_panels_of_runs_that_deliver_nothing_have_the_scales_of_the_others(
    sizes: Sequence[int],
) -> None:
    figure, title = _titled(sizes, setting="max.request.size", slow_us=400_000)
    panels = [panel for panel in figure.axes if panel.get_visible()]
    latencies = panels[0:4] + panels[8:10]
    assert {panel.get_yscale() for panel in latencies} == {"log"}
    [(low, high)] = {panel.get_ylim() for panel in latencies}
    assert 1 < low < 100 < high < 1e6
    failed = sum(size < 1000 for size in sizes)
    assert title.endswith(f"ms in each run; {failed} of 6 runs delivered nothing")


def test_the_title_of_runs_that_all_deliver_nothing_says_so() -> None:
    assert _titled(range(1, 7), setting="max.request.size")[1] == (
        "Latency p99: no record was delivered"
    )


def test_the_title_of_many_timelines_tells_the_least_and_the_most() -> None:
    assert _titled((0, 50, 90, 200, 1000), 9)[1] == (
        "From 1 batch of 9 records (linger.ms=50) to 9 batches of 1 record (linger.ms=0)"
    )
    assert _titled((0, 1000), 9)[1] == (
        "linger.ms=0: 9 batches of 1 record; linger.ms=1000: 1 batch of 9 records"
    )
