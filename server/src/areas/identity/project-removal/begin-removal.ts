import { allKinds } from '@mainstay/contract/resources'
import { isLockable } from '@mainstay/contract/core/deletion-locks'
import { notFound } from '@mainstay/contract/core/problems'
import { projectKind, type Project, type ProjectContents } from '@mainstay/contract/identity/projects'
import { countIn, kindsInProjects } from '@mainstay/engines/ports/project-contents'
import type { Entity } from '@mainstay/engines/ports/records'
import type { SignedIn } from '../../../session/signed-in'
import { enqueue } from '../../../tasks/job'
import { keepCaller } from '../../../tasks/run-callers'
import type { Tools } from '../../../tools'
import { directoryOf } from '../directory.service'
import { inside } from './remove-contents'
import { removal } from './removal'

const lockable = kindsInProjects.filter(({ kind }) => isLockable(allKinds[kind]!))

/** Returns a project's rows that have a deletion lock. */
const lockedIn = ({ inventory }: Pick<Tools, 'inventory'>, projectId: string) =>
  inventory.transaction(async (tx) => {
    const rows: { kind: string; id: string; name: string }[] = []
    for (const { kind } of lockable)
      for (const row of await tx.find<Entity>(kind, { project_id: projectId }))
        if (row['deletion_lock']) rows.push({ kind, id: row.id, name: String(row['name']) })
    return rows
  })

/** Counts the contents of a project, which prevent its deletion, by kind. */
export async function contentsOf(projectId: string, tools: Pick<Tools, 'inventory'>): Promise<ProjectContents> {
  const counts = await tools.inventory.transaction((tx) => countIn(tx, projectId))
  return { counts, locked: (await lockedIn(tools, projectId)).length }
}

/**
 * Starts a task that deletes a project with all its contents. Throws `forbidden` if the caller has no role in the
 * project, `deletion_locked` if an object in it is locked, and `unsupported` if a cloud manages projects.
 */
export async function beginRemoval(
  { id, name }: Project,
  { caller, address }: { caller: SignedIn; address: string },
  tools: Tools,
): Promise<{ task_id: string }> {
  directoryOf(tools)
  const project = await tools.identity.project(id)
  if (!project) throw notFound()
  inside(caller, project)
  const going = await lockedIn(tools, id)
  return tools.inventory.deleting({ going, askedFor: id }, () =>
    tools.inventory.transaction(async (records, _, sql) => {
      const count = Object.values(await countIn(records, id)).reduce((sum, it) => sum + it, 0)
      const task_id = await enqueue(records, removal, {
        ...{ args: { project_id: id, count }, subject: { kind: projectKind.name, id, name }, cancellable: true },
        scope: { ...caller.scope, credential: null },
      })
      await keepCaller(sql, tools.sealingKey, task_id, caller, { address })
      return { task_id }
    }),
  )
}
