import * as z from 'zod'
import { says, type RuleText } from '../core/said'

/** A password must meet one of these rules (S2§5). */
export const passwordRules = {
  long: { characters: 16, needs: ['letter', 'digit'] },
  strong: { characters: 12, needs: ['capital', 'small', 'digit', 'sign'] },
} as const
export type PasswordWay = keyof typeof passwordRules
export type PasswordPart = (typeof passwordRules)[PasswordWay]['needs'][number]

const parts: Record<PasswordPart, RegExp> = {
  letter: /\p{L}/u,
  capital: /\p{Lu}/u,
  small: /\p{Ll}/u,
  digit: /\p{Nd}/u,
  sign: /[^\p{L}\p{N}]/u,
}

/**
 * Returns the requirements of a rule that a password does not meet. `characters` is the number of missing characters.
 */
export function passwordLacks(password: string, way: PasswordWay): { characters: number; parts: PasswordPart[] } {
  const { characters, needs } = passwordRules[way]
  return {
    characters: Math.max(0, characters - [...password].length),
    parts: needs.filter((part) => !parts[part].test(password)),
  }
}

export const passwordFits = (password: string, way: PasswordWay): boolean => {
  const lacks = passwordLacks(password, way)
  return lacks.characters === 0 && lacks.parts.length === 0
}

/** Returns messages about the requirements that a new password does not meet, or an empty list if it is acceptable. */
export function passwordFaults(password: string): RuleText[] {
  if (passwordFits(password, 'long') || passwordFits(password, 'strong')) return []
  const { long, strong } = passwordRules
  const length = [...password].length
  if (length < strong.characters)
    return [says('identity.password_too_short', { strong: strong.characters, long: long.characters })]
  return length >= long.characters
    ? passwordLacks(password, 'long').parts.map((part) => says('identity.password_lacks', { part }))
    : passwordLacks(password, 'strong').parts.map((part) =>
        says('identity.password_lacks_or_short', { part, long: long.characters }),
      )
}

/** A new password. Existing passwords are not checked against the rules. */
export const NewPassword = z
  .string()
  .min(1, says('identity.enter_new_password'))
  .max(1024, says('core.too_long', { most: 1024 }))
  .superRefine((password, context) => {
    if (password !== '') for (const message of passwordFaults(password)) context.addIssue({ code: 'custom', message })
  })
