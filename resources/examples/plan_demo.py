# %% [markdown]
# # Plan the demo fire
#
# The demo fire is synthetic: nothing about a real fire can be learned from it.
# Run the cells in order. `EPOCHS` decides how long the search is.

# %%
"""Plan the demo fire and show what the plan is worth."""

import firegui

EPOCHS = 400

# %%
project = firegui.demo()
print(project.scenario.name, "on", project.scenario.grid.shape, "cells,", project.plan.days, "days")
for kind in project.fleet.types:
    print(f"{kind.count} × {kind.type}: {kind.payload_gal:,.0f} gal {kind.material}, every {kind.turnaround_h:g} h")

# %% [markdown]
# Both stages of the paper: gradient descent places drops, then every drop is removed that the limit does not need.
# `margin="none"` lets the plan hold in the model alone, which is the fastest.

# %%
plan = firegui.plan(project, epochs=EPOCHS, margin="none", seed=0)
print(plan.message)
print(f"{plan.metrics.drops_executed} drops")
print(f"final extent {plan.metrics.final_extent_ha:,.0f} ha, {plan.baseline.final_extent_ha:,.0f} ha without drops")

# %% [markdown]
# When are the drops flown? A step is one of the `steps_per_day` of a day, counted from 0.

# %%
steps_per_day = project.scenario.steps_per_day
by_day = [0] * project.plan.days
for drop in plan.drops:
    if drop.executed:
        by_day[drop.step // steps_per_day] += 1
print("drops by day:", by_day)

# %% [markdown]
# Does the plan hold when drops fail, come late or off target, or the fire is faster?
# The share is the growth of the fire that is left: 0 % holds, 100 % is the fire without drops.

# %%
test = firegui.stress_test(project, plan, draws=2)
for result in test.stress.worst_first:
    print(f"{result.scenario.name:>18}: {result.share_worst:.0%}")
