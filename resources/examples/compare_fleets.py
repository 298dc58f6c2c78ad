# %% [markdown]
# # Compare two fleets
#
# The demo fire is planned twice, with its own fleet and with half of it, by the same settings and the same seed.
# The demo fire is synthetic: the numbers say nothing about real aircraft.

# %%
"""Plan the demo fire with two fleets and compare the plans."""

import firegui

EPOCHS = 400

# %%
whole = firegui.demo()
half = whole.with_counts({kind.id: kind.count // 2 for kind in whole.fleet.types})
fleets = {"whole fleet": whole, "half the fleet": half}

# %%
plans = {
    name: firegui.plan(project, epochs=EPOCHS, margin="none", seed=0) for name, project in fleets.items()
}  # fmt: skip

# %%
print(f"{'':>16}  aircraft  drops  final extent, ha  protected, cells")
for name, plan in plans.items():
    found, aircraft = plan.metrics, plan.project.fleet.n_aircraft
    print(
        f"{name:>16}  {aircraft:8}  {found.drops_executed:5}  {found.final_extent_ha:16,.1f}"
        f"  {found.protected_cells:16,.1f}"
    )

# %% [markdown]
# Is the order the same when the wind is not what was forecast? Both plans meet the same ten winds.

# %%
for name, plan in plans.items():
    ensemble = firegui.uncertainty(plan.project, plan, kind="weather", members=10, seed=0)
    row = ensemble.summary.row("final_area")
    if row is not None and row.plan is not None:
        print(f"{name:>16}: {row.plan.mean:,.0f} ± {row.plan.sd:,.0f} ha, {row.baseline.mean:,.0f} ha without drops")
