import { randomUUID } from 'node:crypto'
import { notFound } from '@mainstay/contract/core/problems'
import type { Project } from '@mainstay/contract/identity/projects'
import { securityGroupKind } from '@mainstay/contract/networking/security-groups'
import type { ProjectsPort } from '../../../ports/directory'
import type { RecordsAndTables } from '../../../ports/engine'
import type { Sql } from '../../../ports/engines'
import { kindsThatGo, refuseFullProject } from '../../../ports/project-contents'
import { forgetProject } from '../../networking/forget-target'
import { defaultGroup } from '../../networking/groups-of-ports'
import { lockDomain } from './domains'
import { readRow, refreshRows } from './rows'
import { refuseDuplicate } from './rules'

async function lockProject(sql: Sql, domainId: string, id: string): Promise<void> {
  const [project] = await sql.query(
    'select id from identity_project where id = $1 and domain_id = $2 and reserved_for is null for update',
    [id, domainId],
  )
  if (!project) throw notFound()
}

/** Commands for projects. `isSourceOf` returns whether this engine owns the given kind of row. */
export const projectCommands = (
  { transaction }: RecordsAndTables,
  isSourceOf: (kind: string) => boolean,
): ProjectsPort => ({
  create: (_, domainId, { name, description, enabled, tags }) =>
    transaction(async (tx, sql) => {
      await lockDomain(sql, domainId, 'share')
      const id = randomUUID()
      await sql
        .query(
          'insert into identity_project (id, domain_id, name, description, enabled, tags) values ($1, $2, $3, $4, $5, $6)',
          [id, domainId, name, description, enabled, tags],
        )
        .catch(refuseDuplicate('project'))
      await refreshRows(tx, sql, { project: [id], domain: [domainId] })
      if (isSourceOf(securityGroupKind.name)) await defaultGroup(tx, { project_id: id, domain_id: domainId })
      return readRow<Project>(sql, 'project', id)
    }),

  update: (_, domainId, id, { name, description, enabled, tags }) =>
    transaction(async (tx, sql) => {
      await lockProject(sql, domainId, id)
      await sql
        .query(
          `update identity_project set name = coalesce($2, name), description = coalesce($3, description),
              enabled = coalesce($4, enabled), tags = coalesce($5, tags)
            where id = $1`,
          [id, name ?? null, description ?? null, enabled ?? null, tags ?? null],
        )
        .catch(refuseDuplicate('project'))
      await refreshRows(tx, sql, { project: [id] })
      return readRow<Project>(sql, 'project', id)
    }),

  delete: (_, domainId, id) =>
    transaction(async (tx, sql) => {
      await lockProject(sql, domainId, id)
      await refuseFullProject(tx, id)
      for (const kind of kindsThatGo)
        if (isSourceOf(kind)) for (const row of await tx.find(kind, { project_id: id })) await tx.remove(kind, row.id)
      if (isSourceOf(securityGroupKind.name)) await forgetProject(tx, id)
      const groups = await sql.query<{ id: string }>(
        'select group_id as id from identity_group_assignment where project_id = $1',
        [id],
      )
      const members = await sql.query<{ id: string }>(
        `select user_id as id from identity_assignment where project_id = $1
          union select user_id from identity_group_assignment join identity_group_member using (group_id)
            where project_id = $1`,
        [id],
      )
      await sql.query('delete from identity_project where id = $1', [id])
      await refreshRows(tx, sql, {
        project: [id],
        domain: [domainId],
        group: groups.map((it) => it.id),
        user: members.map((it) => it.id),
      })
    }),

  removeMembers: (_, domainId, id, userIds) =>
    transaction(async (tx, sql) => {
      await lockProject(sql, domainId, id)
      const gone = await sql.query<{ user_id: string }>(
        'delete from identity_assignment where project_id = $1 and user_id = any($2::text[]) returning user_id',
        [id, userIds],
      )
      await refreshRows(tx, sql, { project: [id], user: gone.map((it) => it.user_id) })
    }),
})
