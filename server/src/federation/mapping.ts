import type { Mapping, MappingRule } from '@mainstay/contract/identity/provider-mapping'
import { isVisible } from '@mainstay/contract/core/names'
import type { MappingFault } from '@mainstay/contract/identity/mapping-faults'
import { Email } from '@mainstay/contract/identity/users'
import type { MappedClaims } from '@mainstay/engines/ports/federation'

export type Mapped =
  | { refusal: { reason: MappingFault; message: string }; rules: string[] }
  | { refusal: null; rules: string[]; mapped: MappedClaims }

const refused = (reason: MappingFault, message: string): Mapped => ({ refusal: { reason, message }, rules: [] })

/** A claim by its name, or by a dotted path such as `realm_access.roles`. */
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

/** Distinct values of a claim; empty if it is missing. Some providers send a single value as a list, or repeatedly. */
const valuesOf = (claim: unknown): unknown[] => [
  ...new Set((Array.isArray(claim) ? claim : [claim]).filter((it) => it !== undefined && it !== null)),
]

const textsOf = (claim: unknown): Set<string> =>
  new Set(
    valuesOf(claim)
      .filter((it) => typeof it === 'string' || typeof it === 'number' || typeof it === 'boolean')
      .map(String),
  )

/** The groups claims of Entra, each with the claim that replaces it if a token would contain too many groups. */
const groupOverages: Readonly<Record<string, string>> = {
  groups: 'hasgroups',
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups': 'http://schemas.microsoft.com/claims/groups.link',
}

/**
 * Whether the provider withholds the values of a claim: as a distributed or aggregated claim (OpenID Connect Core
 * 5.6.2), or as Entra does if there are too many groups. The values are then unknown, and must not be treated as empty.
 */
function isWithheld(claims: Record<string, unknown>, name: string): boolean {
  if (valuesOf(claimAt(claims, name)).length > 0) return false
  const elsewhere = claims['_claim_names']
  const isNamed = (it: string | undefined) =>
    it !== undefined && typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, it)
  if (isNamed(name) || isNamed(name.split('.')[0])) return true
  const mark = Object.hasOwn(groupOverages, name) ? claims[groupOverages[name]!] : undefined
  return valuesOf(mark).some((it) => it !== false && it !== 'false')
}

/** Scripts with letters that look like letters in another script. */
const alikeScripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Georgian', 'Hebrew', 'Lisu'].map(
  (it) => new RegExp(`\\p{Script=${it}}`, 'u'),
)

/**
 * Whether a word mixes scripts: `admin` with a Cyrillic "a" looks like `admin`. Different words may use different
 * scripts, as in `иван@company.example`.
 */
const mixesScripts = (name: string): boolean =>
  name
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .some((word) => alikeScripts.filter((script) => script.test(word)).length > 1)

function emailIn(claims: Record<string, unknown>, name: string): string | null {
  // drop an email address that is marked as unverified in any way; many providers do not send the claim
  const verified = Object.hasOwn(claims, 'email_verified') ? valuesOf(claims['email_verified']) : [true]
  if (verified.length === 0 || verified.some((it) => it !== true && it !== 'true')) return null
  const [address, ...others] = valuesOf(claimAt(claims, name))
  return others.length > 0 ? null : (Email.safeParse(address).data ?? null)
}

/** Maps a user's claims by the provider's rules. */
export function mapClaims({ claims: names, rules, unmatched }: Mapping, claims: Record<string, unknown>): Mapped {
  const [name, ...others] = valuesOf(claimAt(claims, names.name))
  const claim = `The claim “${names.name}” for the username`
  if (name === undefined) return refused('no_name', `${claim} is missing`)
  if (others.length > 0)
    return refused('bad_name', `${claim} has several values. Configure the provider to send only one`)
  if (typeof name !== 'string') return refused('bad_name', `${claim} is not a string`)
  if (name.trim() === '') return refused('no_name', `${claim} is empty`)
  if (name.length > 255 || !isVisible.test(name))
    return refused('bad_name', 'The username has more than 255 characters or contains invisible ones')
  if (mixesScripts(name))
    return refused('bad_name', 'A word of the username mixes scripts, so it could be mistaken for another name')
  const holds = ({ claim, values }: MappingRule): boolean => {
    const sent = textsOf(claimAt(claims, claim ?? names.groups))
    return values.some((it) => sent.has(it))
  }
  const withheld = rules.map((it) => it.claim ?? names.groups).find((it) => isWithheld(claims, it))
  if (withheld !== undefined)
    return refused(
      'groups_withheld',
      `The provider does not send the claim “${withheld}”, because it has too many values for a token. Configure the provider to send only the groups assigned to this application, or application roles instead of groups`,
    )
  const held = rules.filter(holds)
  if (held.length === 0 && unmatched === 'refuse') {
    const wantsGroups = rules.some(({ claim }) => claim === null) && claimAt(claims, names.groups) === undefined
    return wantsGroups
      ? refused('no_groups', `The provider sent no groups: the claim “${names.groups}” is missing`)
      : refused('unmatched', 'No rule matches these claims, and only users who match a rule can sign in')
  }
  return {
    refusal: null,
    rules: held.map((it) => it.name),
    mapped: {
      name: name.trim(),
      email: emailIn(claims, names.email),
      group_ids: [...new Set(held.flatMap((it) => it.group_id ?? []))],
      domain_permissions: [...new Set(held.flatMap((it) => it.domain_permission ?? []))],
      projects: held.flatMap(({ project_id, role }) =>
        project_id !== null && role !== null ? [{ project_id, role }] : [],
      ),
    },
  }
}
