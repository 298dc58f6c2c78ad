"""The differentiable rollout: gates, footprints, suppression and the three-state update."""
