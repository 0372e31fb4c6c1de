import { asProblem } from '../api/problem'

/** What a sign-in lacks after the password, and how it goes on. */
export interface NextStep {
  kind: 'second_factor' | 'password' | 'new_factor'
  challenge: string
}

const kinds: Record<string, NextStep['kind']> = {
  second_factor_required: 'second_factor',
  password_change_required: 'password',
  second_factor_missing: 'new_factor',
}

/** The step that a refused sign-in asks for; null where it is refused for good. */
export function nextStepOf(thrown: unknown): NextStep | null {
  const { code, data } = asProblem(thrown)
  const { challenge } = data
  const kind = kinds[code]
  return kind && typeof challenge === 'string' ? { kind, challenge } : null
}
