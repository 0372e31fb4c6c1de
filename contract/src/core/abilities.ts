import type { Grants, ResourceName } from '../permissions'

/**
 * Abilities and the HTTP methods that they stand for: GET reads, POST creates, PATCH and PUT update, DELETE deletes.
 * `change` replaces an object, which requires delete and update (S1§6).
 */
export const abilities = ['read', 'create', 'update', 'delete', 'change'] as const
export type Ability = (typeof abilities)[number]

/** HTTP methods required for an ability: at least one from each inner list. */
const methodsOf: Record<Ability, readonly (readonly string[])[]> = {
  read: [['GET']],
  create: [['POST']],
  update: [['PUT', 'PATCH']],
  delete: [['DELETE']],
  change: [['DELETE'], ['PUT', 'PATCH']],
}
/** Letters of the permission table that an ability requires; all of them must be granted. */
const lettersOf: Record<Ability, string> = { read: 'R', create: 'C', update: 'U', delete: 'D', change: 'DU' }
const ofLetter: Record<string, Ability> = { C: 'create', R: 'read', U: 'update', D: 'delete' }

/** `permissions` in the response of GET /api/v2/meta (S1§6). */
export type MetaPermissions = Record<string, { name: string; methods: string[] }>

export const toMeta = (grants: Grants): MetaPermissions =>
  Object.fromEntries(
    Object.entries(grants).map(([name, letters]) => [
      name,
      { name, methods: [...letters].flatMap((letter) => methodsOf[ofLetter[letter]!].flat()) },
    ]),
  )

/** Whether the methods listed for a resource allow an ability. */
export const methodsAllow = (listed: readonly string[] | undefined, ability: Ability): boolean =>
  listed !== undefined && methodsOf[ability].every((some) => some.some((method) => listed.includes(method)))

/** Whether grants allow an ability on a resource. */
export const grantsAllow = (grants: Grants, resource: ResourceName, ability: Ability): boolean =>
  [...lettersOf[ability]].every((letter) => grants[resource]?.includes(letter))
