"""Every fault there is."""

from __future__ import annotations

from tests.unit.io.faults.event_faults import EVENT_FAULTS
from tests.unit.io.faults.folder_faults import FOLDER_FAULTS
from tests.unit.io.faults.landscape_faults import LANDSCAPE_FAULTS
from tests.unit.io.faults.maps_faults import MAPS_FAULTS
from tests.unit.io.faults.perimeter_faults import PERIMETER_FAULTS
from tests.unit.io.faults.plan_faults import PLAN_FAULTS
from tests.unit.io.faults.region_faults import REGION_FAULTS
from tests.unit.io.faults.table_faults import TABLE_FAULTS
from tests.unit.io.faults.whole_files import WHOLE_FILES
from tests.unit.io.faults.wind_faults import WIND_FAULTS

FAULTS = (
    *WHOLE_FILES, *FOLDER_FAULTS, *MAPS_FAULTS, *EVENT_FAULTS, *REGION_FAULTS, *TABLE_FAULTS, *PLAN_FAULTS,
    *LANDSCAPE_FAULTS, *WIND_FAULTS, *PERIMETER_FAULTS,
)  # fmt: skip
