"""The chart and what it needs: its menu, its export, its decimation."""
