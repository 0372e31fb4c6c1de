import { asProblem } from '../api/problem'

/** An additional step that sign-in requires after the password. */
export interface NextStep {
  kind: 'second_factor' | 'password' | 'new_factor'
  challenge: string
}

const kinds: Record<string, NextStep['kind']> = {
  second_factor_required: 'second_factor',
  password_change_required: 'password',
  second_factor_missing: 'new_factor',
}

/** The additional step that a rejected sign-in requires, or null if the rejection is final. */
export function nextStepOf(thrown: unknown): NextStep | null {
  const { code, data } = asProblem(thrown)
  const { challenge } = data
  const kind = kinds[code]
  return kind && typeof challenge === 'string' ? { kind, challenge } : null
}
