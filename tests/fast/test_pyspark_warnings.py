"""Of PySpark's warnings, those that tell a user of the suite nothing are not printed."""

import warnings

import pandas
import pytest
from pyspark.sql.pandas.utils import require_minimum_pandas_version

from conformance.spark.driver import without_known_warnings


def test_pysparks_warning_on_pandas_is_silenced_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pandas, "__version__", "3.1.1")
    with pytest.raises(FutureWarning, match="pandas"):
        require_minimum_pandas_version()
    with without_known_warnings():
        require_minimum_pandas_version()
        with pytest.raises(FutureWarning, match="pandas will change"):
            warnings.warn("pandas will change", FutureWarning, stacklevel=1)
    with pytest.raises(FutureWarning, match="pandas"):
        require_minimum_pandas_version()
