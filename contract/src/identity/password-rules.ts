import * as z from 'zod'

/** What a password must hold, one way or the other (S2§5). */
export const passwordWays = {
  long: { characters: 16, needs: ['letter', 'digit'] },
  strong: { characters: 12, needs: ['capital', 'small', 'digit', 'sign'] },
} as const
export type PasswordWay = keyof typeof passwordWays
export type PasswordPart = (typeof passwordWays)[PasswordWay]['needs'][number]

const parts: Record<PasswordPart, RegExp> = {
  letter: /\p{L}/u,
  capital: /\p{Lu}/u,
  small: /\p{Ll}/u,
  digit: /\p{Nd}/u,
  sign: /[^\p{L}\p{N}]/u,
}
const words: Record<PasswordPart, string> = {
  letter: 'a letter',
  capital: 'a capital letter',
  small: 'a small letter',
  digit: 'a digit',
  sign: 'a sign or a space',
}

/** What a password lacks to be valid in one way. `characters`: how many more it needs. */
export function passwordLacks(password: string, way: PasswordWay): { characters: number; parts: PasswordPart[] } {
  const { characters, needs } = passwordWays[way]
  return {
    characters: Math.max(0, characters - [...password].length),
    parts: needs.filter((part) => !parts[part].test(password)),
  }
}

export const passwordFits = (password: string, way: PasswordWay): boolean => {
  const lacks = passwordLacks(password, way)
  return lacks.characters === 0 && lacks.parts.length === 0
}

const listed = (lacking: PasswordPart[]): string => {
  const said = lacking.map((part) => words[part])
  return said.length < 2 ? said.join() : `${said.slice(0, -1).join(', ')} and ${said.at(-1)}`
}

/** Which rule of a new password is broken, for people; null where none is. */
export function passwordFault(password: string): string | null {
  if (passwordFits(password, 'long') || passwordFits(password, 'strong')) return null
  const { long, strong } = passwordWays
  const length = [...password].length
  if (length < strong.characters)
    return `Use at least ${strong.characters} characters with capital and small letters, digits and signs, or at least ${long.characters} with letters and digits`
  const missing = passwordLacks(password, 'strong').parts
  if (length >= long.characters) return `Add ${listed(passwordLacks(password, 'long').parts)}`
  return `Add ${listed(missing)}, or use at least ${long.characters} characters`
}

/** A password that somebody chooses; those that were chosen before are taken as they are. */
export const NewPassword = z
  .string()
  .min(1, 'Enter a new password')
  .max(1024, 'Use at most 1024 characters')
  .superRefine((password, context) => {
    const fault = password === '' ? null : passwordFault(password)
    if (fault !== null) context.addIssue({ code: 'custom', message: fault })
  })
