import { randomUUID } from 'node:crypto'
import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { mostGroups } from '@mainstay/contract/identity/groups'
import { LDAP_SOURCE } from '@mainstay/contract/identity/directory-source'
import type {
  DirectoryImportsPort,
  ImportedGroup,
  ImportedPerson,
  ImportOutcome,
} from '../../../ports/directory-imports'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { lockDomain } from './domains'
import { folded } from './names'
import { membershipsOf, refreshRows } from './rows'

/** Stored in place of a password hash. No password matches it. */
const NO_PASSWORD = '!'
const PEOPLE_AT_ONCE = 500
const domain = DEFAULT_DOMAIN_ID

interface KnownUser {
  id: string
  name: string
  email: string | null
  enabled: boolean
  ldap_id: string | null
  is_gone: boolean
}

/** Returns the query parameters for a bulk change: one array per named column. */
const rowsOf = <Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]) =>
  names.map((name) => rows.map((row) => row[name]))

/** Creates and updates users. A user whose name is taken by another user is skipped and left unchanged. */
async function applyPeople(
  { transaction }: RecordsAndTables,
  people: readonly ImportedPerson[],
  outcome: ImportOutcome,
): Promise<void> {
  await transaction(async (tx, sql) => {
    await lockDomain(sql, domain, 'share')
    const names = people.map(({ name }) => folded(name))
    const known = await sql.query<KnownUser>(
      `select id, name, email, enabled, ldap_id, ldap_gone_at is not null as is_gone from identity_user
        where domain_id = $1 and (ldap_id = any($2::text[]) or ldap_name = any($3::text[])
          or lower(name) = any($3::text[]) or name = any($4::text[]))`,
      [domain, people.map(({ id }) => id), names, people.map(({ name }) => name)],
    )
    const byId = new Map(known.flatMap((user) => (user.ldap_id === null ? [] : [[user.ldap_id, user]])))
    const holders = new Map(known.map((user) => [folded(user.name), user.ldap_id ?? user.id]))
    const made: (ImportedPerson & { user_id: string; ldap_name: string })[] = []
    const changed: (ImportedPerson & { user_id: string; ldap_name: string; gone: boolean })[] = []
    for (const person of people) {
      const ldap_name = folded(person.name)
      const user = byId.get(person.id)
      const holder = holders.get(ldap_name)
      if (holder !== undefined && holder !== person.id) {
        outcome.faults.push({ kind: 'user', name: person.name, reason: 'name_taken' })
        continue
      }
      holders.set(ldap_name, person.id)
      if (!user) {
        made.push({ ...person, user_id: randomUUID(), ldap_name })
        continue
      }
      // users disabled by an administrator stay disabled; those disabled by an import are enabled again
      const enabled = person.enabled && (user.enabled || user.is_gone)
      const gone = !person.enabled && (user.enabled || user.is_gone)
      const email = person.email ?? user.email
      const isSame = user.name === person.name && user.email === email && user.enabled === enabled
      if (isSame && user.is_gone === gone) continue
      if (user.enabled && !enabled) outcome.disabled.push(user.id)
      changed.push({ ...person, email, enabled, user_id: user.id, ldap_name, gone })
    }
    await sql.query(
      `insert into identity_user (id, domain_id, name, email, description, enabled, password, identity_provider,
          ldap_id, ldap_name, ldap_gone_at)
        select id, $1, name, email, title, enabled, '${NO_PASSWORD}', '${LDAP_SOURCE}', ldap_id, ldap_name,
            case when enabled then null else now() end
          from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::text[])
            as made (id, name, email, title, enabled, ldap_id, ldap_name)`,
      [domain, ...rowsOf(made, 'user_id', 'name', 'email', 'title', 'enabled', 'id', 'ldap_name')],
    )
    await sql.query(
      `update identity_user u set name = n.name, email = n.email, enabled = n.enabled, ldap_name = n.ldap_name,
          ldap_gone_at = case when n.gone then coalesce(u.ldap_gone_at, now()) end
        from unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::text[], $6::boolean[])
          as n (id, name, email, enabled, ldap_name, gone) where u.id = n.id`,
      rowsOf(changed, 'user_id', 'name', 'email', 'enabled', 'ldap_name', 'gone'),
    )
    outcome.added += made.length
    outcome.changed += changed.length
    await refreshRows(tx, sql, {
      user: [...made, ...changed].map(({ user_id }) => user_id),
      ...(made.length > 0 && { domain: [domain] }),
    })
  })
}

/**
 * Disables users who no longer exist in the directory. Leaves users disabled by an administrator alone, so that a later
 * import does not enable them.
 */
async function disableGone(
  { transaction }: RecordsAndTables,
  present: readonly string[],
  outcome: ImportOutcome,
): Promise<void> {
  await transaction(async (tx, sql) => {
    const gone = await sql.query<{ id: string }>(
      `update identity_user set enabled = false, ldap_gone_at = now()
        where domain_id = $1 and ldap_id is not null and enabled and ldap_id <> all($2::text[]) returning id`,
      [domain, present],
    )
    const ids = gone.map(({ id }) => id)
    outcome.disabled.push(...ids)
    await refreshRows(tx, sql, { user: ids })
  })
}

interface KnownGroup {
  id: string
  name: string
  ldap_id: string | null
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** Creates or renames a group. Returns its ID, or null if the name is taken or there are too many groups. */
async function placeGroup(sql: Sql, group: ImportedGroup, outcome: ImportOutcome): Promise<string | null> {
  const leftOut = (reason: 'name_taken' | 'too_many_groups'): null => {
    outcome.faults.push({ kind: 'group', name: group.name, reason })
    return null
  }
  const name = folded(group.name)
  const known = await sql.query<KnownGroup>(
    'select id, name, ldap_id from identity_group where domain_id = $1 and (ldap_id = $2 or folded_name = $3)',
    [domain, group.id, name],
  )
  const own = known.find(({ ldap_id }) => ldap_id === group.id)
  if (known.length > (own ? 1 : 0)) {
    leftOut('name_taken')
    return own?.id ?? null
  }
  if (own?.name === group.name) return own.id
  if (own) {
    await sql.query('update identity_group set name = $2, folded_name = $3 where id = $1', [own.id, group.name, name])
    outcome.changed += 1
    return own.id
  }
  const [count] = await sql.query<{ groups: number }>(
    'select count(*)::int as groups from identity_group where domain_id = $1',
    [domain],
  )
  if (count!.groups >= mostGroups) return leftOut('too_many_groups')
  const id = randomUUID()
  await sql.query(
    `insert into identity_group (id, domain_id, name, folded_name, description, identity_provider, ldap_id)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, domain, group.name, name, group.title, LDAP_SOURCE, group.id],
  )
  outcome.added += 1
  return id
}

/**
 * Replaces the members of a group. Keeps members added by an identity provider, because they do not come from the
 * directory.
 */
async function applyGroup(
  { transaction }: RecordsAndTables,
  group: ImportedGroup,
  outcome: ImportOutcome,
): Promise<void> {
  await transaction(async (tx, sql) => {
    await lockDomain(sql, domain, 'update')
    const before = outcome.added + outcome.changed
    const id = await placeGroup(sql, group, outcome)
    if (id === null) return
    const left = await sql.query<{ id: string }>(
      `delete from identity_group_member m using identity_user u where m.group_id = $1 and u.id = m.user_id
          and u.ldap_id <> all($2::text[]) returning u.id`,
      [id, group.members],
    )
    const joined = await sql.query<{ id: string }>(
      `insert into identity_group_member (group_id, user_id)
        select $1, id from identity_user where domain_id = $2 and ldap_id = any($3::text[])
        on conflict do nothing returning user_id as id`,
      [id, domain, group.members],
    )
    const user = idsOf([...left, ...joined])
    if (user.length === 0 && outcome.added + outcome.changed === before) return
    // the rows of the members contain the group's name
    const members = await sql.query<{ id: string }>(
      'select user_id as id from identity_group_member where group_id = $1',
      [id],
    )
    const isRenamed = outcome.added + outcome.changed > before
    const project = idsOf(
      await sql.query('select project_id as id from identity_group_assignment where group_id = $1', [id]),
    )
    await refreshRows(tx, sql, { group: [id], user: isRenamed ? [...user, ...idsOf(members)] : user, project })
  })
}

/**
 * Removes all directory users from groups that no longer exist in the directory, so that they lose the permissions of
 * these groups.
 */
async function emptyGone({ transaction }: RecordsAndTables, present: readonly string[]): Promise<void> {
  await transaction(async (tx, sql) => {
    const left = await sql.query<{ group_id: string; user_id: string }>(
      `delete from identity_group_member m using identity_group g, identity_user u
        where g.id = m.group_id and u.id = m.user_id and u.ldap_id is not null and g.domain_id = $1
          and g.ldap_id is not null and g.ldap_id <> all($2::text[]) returning m.group_id, m.user_id`,
      [domain, present],
    )
    const user = [...new Set(left.map(({ user_id }) => user_id))]
    const group = [...new Set(left.map(({ group_id }) => group_id))]
    if (group.length === 0) return
    const project = idsOf(
      await sql.query(
        'select distinct project_id as id from identity_group_assignment where group_id = any($1::text[])',
        [group],
      ),
    )
    const counted = await membershipsOf(sql, user)
    await refreshRows(tx, sql, { group, user, project: [...project, ...(counted.project ?? [])] })
  })
}

/** Imports the users and groups of an LDAP directory into the tables of this host. */
export const directoryImports = (sql: Sql, records: RecordsAndTables): DirectoryImportsPort => ({
  async apply({ people, groups }, { signal, onProgress }) {
    const outcome: ImportOutcome = { added: 0, changed: 0, disabled: [], faults: [] }
    const all = people.length + groups.length
    let done = 0
    const step = (count: number) => {
      done += count
      onProgress?.(done / all)
      signal?.throwIfAborted()
    }
    // do this first, because the name of a user who has left may now belong to another user
    await disableGone(
      records,
      people.map(({ id }) => id),
      outcome,
    )
    for (let at = 0; at < people.length; at += PEOPLE_AT_ONCE) {
      const some = people.slice(at, at + PEOPLE_AT_ONCE)
      await applyPeople(records, some, outcome)
      step(some.length)
    }
    for (const group of groups) {
      await applyGroup(records, group, outcome)
      step(1)
    }
    await emptyGone(
      records,
      groups.map(({ id }) => id),
    )
    return outcome
  },

  async names() {
    const of = async (table: 'identity_user' | 'identity_group') => {
      const rows = await sql.query<{ ldap_id: string; name: string }>(
        `select ldap_id, name from ${table} where domain_id = $1 and ldap_id is not null`,
        [domain],
      )
      return new Map(rows.map(({ ldap_id, name }) => [ldap_id, name]))
    }
    return { user: await of('identity_user'), group: await of('identity_group') }
  },

  async count() {
    const [row] = await sql.query<{ people: number }>(
      'select count(*)::int as people from identity_user where domain_id = $1 and ldap_id is not null and enabled',
      [domain],
    )
    return row!.people
  },

  async find(name) {
    const [row] = await sql.query<{ user_id: string; id: string }>(
      'select id as user_id, ldap_id as id from identity_user where domain_id = $1 and ldap_name = $2 and ldap_id is not null',
      [domain, folded(name)],
    )
    return row ?? null
  },

  all: async () =>
    idsOf(await sql.query('select id from identity_user where domain_id = $1 and ldap_id is not null', [domain])),
})
