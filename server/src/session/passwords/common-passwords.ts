import { problemOf } from '@mainstay/contract/core/problems'
import { says, type RuleText } from '@mainstay/contract/core/said'

/** Words related to the product and its operation. Passwords that only decorate one of them are refused. */
const ownWords = [
  'mainstay',
  'admin',
  'administrator',
  'superuser',
  'operator',
  'password',
  'cloud',
  'console',
  'portal',
]

const letterFor: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
}
const respelled = (text: string) => text.replace(/[@431!0$5]/g, (sign) => letterFor[sign] ?? sign)

/** Reduces a string of repetitions to the repeated part: `passwordpassword` becomes `password`. */
const once = (text: string) => text.slice(0, `${text}${text}`.indexOf(text, 1))

/**
 * The words to check: in lower case, with and without leading and trailing digits and symbols, and with digits and
 * symbols read as letters.
 */
function wordsIn(password: string): string[] {
  const small = password.toLowerCase()
  const bare = small.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return [small, bare, respelled(small), respelled(bare)].filter((text) => text !== '').map(once)
}

let list: Promise<ReadonlySet<string>> | null = null

/** About 49 000 common passwords, in lower case. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return list
}

/** The reason why a password is easy to guess, or null. `names` are the names of the user and the domain. */
export async function commonPasswordFault(password: string, names: readonly string[] = []): Promise<RuleText | null> {
  const words = wordsIn(password)
  const own = [...ownWords, ...names.map((name) => name.toLowerCase()).filter((name) => name !== '')]
  if (words.some((word) => own.includes(word))) return says('identity.password_is_known_name')
  const common = await commonPasswords()
  if (words.some((word) => common.has(word))) return says('identity.password_is_common')
  return null
}

/** Checks a new password. Throws a `validation` error on the field if the password is easy to guess. */
export async function refuseCommonPassword(field: string, password: string, names: readonly string[]): Promise<void> {
  const fault = await commonPasswordFault(password, names)
  if (fault !== null) throw problemOf(fault, { field })
}
