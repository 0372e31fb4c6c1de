import type { Mapping, MappingRule } from '@mainstay/contract/identity/identity-providers'
import { isVisible } from '@mainstay/contract/core/names'
import type { MappingFault } from '@mainstay/contract/identity/mapping-faults'
import { Email } from '@mainstay/contract/identity/users'
import type { MappedClaims } from '@mainstay/engines/ports/federation'

/** The most values of a claim that rules look at. */
const MOST_VALUES = 2000

export type Mapped =
  | { refusal: { reason: MappingFault; message: string }; rules: string[] }
  | { refusal: null; rules: string[]; mapped: MappedClaims }

const refused = (reason: MappingFault, message: string): Mapped => ({ refusal: { reason, message }, rules: [] })

/** A claim by its name, or by the way to it within others: `realm_access.roles`. */
function claimAt(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  return name
    .split('.')
    .reduce<unknown>(
      (at, step) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      claims,
    )
}

const valuesOf = (claim: unknown): Set<string> =>
  new Set(
    (Array.isArray(claim) ? claim.slice(0, MOST_VALUES) : [claim])
      .filter((it) => typeof it === 'string' || typeof it === 'number' || typeof it === 'boolean')
      .map(String),
  )

/** Scripts with letters that look like those of another one. */
const alikeScripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Hebrew', 'Lisu'].map(
  (it) => new RegExp(`\\p{Script=${it}}`, 'u'),
)

/** Whether a word has letters of several scripts: `admin` with a Cyrillic a looks like `admin`. Words may differ: `иван@company.example`. */
const mixesScripts = (name: string): boolean =>
  name
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .some((word) => alikeScripts.filter((script) => script.test(word)).length > 1)

function emailIn(claims: Record<string, unknown>, name: string): string | null {
  // an address that the provider itself does not believe
  if (claims['email_verified'] === false) return null
  return Email.safeParse(claimAt(claims, name)).data ?? null
}

/** What the claims of somebody who signs in give, by the rules of their provider. */
export function mapClaims({ claims: names, rules, unmatched }: Mapping, claims: Record<string, unknown>): Mapped {
  const name = claimAt(claims, names.name)
  if (typeof name !== 'string' || name.trim() === '')
    return refused('no_name', `The claim “${names.name}”, which is to be the user name, is not among the claims`)
  if (name.length > 255 || !isVisible.test(name))
    return refused('bad_name', 'The user name has more than 255 characters, or some that cannot be seen')
  if (mixesScripts(name))
    return refused(
      'bad_name',
      'A word of the user name mixes letters of several scripts: it can look like another name',
    )
  const holds = ({ claim, values }: MappingRule): boolean => {
    const sent = valuesOf(claimAt(claims, claim ?? names.groups))
    return values.some((it) => sent.has(it))
  }
  const held = rules.filter(holds)
  if (held.length === 0 && unmatched === 'refuse') {
    const wantsGroups = rules.some(({ claim }) => claim === null) && claimAt(claims, names.groups) === undefined
    return wantsGroups
      ? refused('no_groups', `The provider has sent no groups: the claim “${names.groups}” is not among the claims`)
      : refused('unmatched', 'No rule holds for these claims, and only those for whom one holds may sign in')
  }
  return {
    refusal: null,
    rules: held.map((it) => it.name),
    mapped: {
      name: name.trim(),
      email: emailIn(claims, names.email),
      group_ids: held.flatMap((it) => it.group_id ?? []),
      domain_permissions: held.flatMap((it) => it.domain_permission ?? []),
      projects: held.flatMap(({ project_id, role }) =>
        project_id !== null && role !== null ? [{ project_id, role }] : [],
      ),
    },
  }
}
