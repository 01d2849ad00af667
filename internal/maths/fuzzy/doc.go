// Package fuzzy learns functions from samples by Takagi–Sugeno models (paper 000, section 3.2):
// rules of the form "if x is near c, then y = a x + b", of which each counts as much as its
// condition holds. Numbers in, numbers out.
//
//	what                                        paper 000            where
//	rules, firing strengths                     eq. 5 to 8           Model
//	what is left if strengths are frozen        eq. 9                Model.Affine
//	structure: how many rules, and where        section 5.2          Centers, Start (Chiu's subtractive clustering)
//	conditions and consequents, off line        section 5.2          Trainer.Train (ANFIS, Jang's hybrid rule)
//	consequents, on line                        eq. 9, 10            Learner
//
// # Where we differ
//
//   - Equation 10 as printed, Σ e(t)² + τ e(t-1)², weighs every error but the last alike (by 1 + τ) and
//     forgets nothing, which is not what the text around it says ("exponentially decaying weights").
//     Learner is recursive least squares with the usual exponential forgetting: it makes
//     Σ λ^(l-t) e(t)² least, with λ the forgetting factor.
//   - Old samples that are forgotten while new ones say nothing new would let the covariance grow for
//     ever (wind-up). Its trace is held to a bound.
package fuzzy
