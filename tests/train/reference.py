"""Trajectories of torch.optim.AdamW on a small nonlinear problem, in double and in single precision.

    python reference.py > reference.txt

A line is a name, a count and numbers. The gradient is g_i = a_i w_i + sin(3 w_i) + 0.1 cos(n i) in step n, so
that it can be computed anywhere; single precision is given the gradients of the double trajectory, so that
only the optimiser's own rounding is compared.
"""
import sys

import torch

N, STEPS = 4, 60
settings = {
    "default": dict(lr=1e-3),
    "fast": dict(lr=2e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0),
    "decay": dict(lr=5e-3, betas=(0.8, 0.99), eps=1e-8, weight_decay=0.3),
    "epsilon": dict(lr=1e-2, betas=(0.9, 0.999), eps=1e-2, weight_decay=1e-2),
    "no_memory": dict(lr=1e-3, betas=(0.0, 0.5), eps=1e-6, weight_decay=1e-1),
    "scheduled": dict(lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=1e-2),
}


def write(name, values):
    values = torch.as_tensor(values, dtype=None if torch.is_tensor(values) else torch.float64)
    digits = 9 if values.dtype is torch.float32 else 17
    values = values.reshape(-1).tolist()
    sys.stdout.write(f"{name} {len(values)} " + " ".join(f"{x:.{digits}g}" for x in values) + "\n")


index = torch.arange(N, dtype=torch.float64)
for name, options in settings.items():
    beta1, beta2 = options.get("betas", (0.9, 0.999))
    write(f"{name}.options",
          [options["lr"], beta1, beta2, options.get("eps", 1e-8), options.get("weight_decay", 1e-2)])
    gradients = []
    for dtype in (torch.float64, torch.float32):
        w = torch.nn.Parameter((1 - 0.4 * index).to(dtype))
        optimiser = torch.optim.AdamW([w], **options, foreach=False, fused=False)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS, eta_min=1e-4)
        trajectory = []
        for step in range(1, STEPS + 1):
            if dtype is torch.float64:
                x = w.detach()
                w.grad = (0.5 + 0.25 * index) * x + torch.sin(3 * x) + 0.1 * torch.cos(step * index)
                gradients.append(w.grad.clone())
            else:
                w.grad = gradients[step - 1].to(dtype)
            optimiser.step()
            if name == "scheduled":
                schedule.step()
            trajectory.append(w.detach().clone())
        write(f"{name}.{'double' if dtype is torch.float64 else 'float'}", torch.stack(trajectory))
        state = optimiser.state[w]
        if dtype is torch.float64:
            write(f"{name}.first", state["exp_avg"])
            write(f"{name}.second", state["exp_avg_sq"])
