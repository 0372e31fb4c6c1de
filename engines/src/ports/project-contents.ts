import { problem } from '@mainstay/contract/core/problems'
import { securityGroupRuleKind } from '@mainstay/contract/networking/security-group-rules'
import {
  DEFAULT_GROUP_NAME,
  securityGroupKind,
  type SecurityGroup,
} from '@mainstay/contract/networking/security-groups'
import { resourceList } from '@mainstay/contract/resources'
import type { RecordsTransaction } from './records'

/**
 * Kinds whose rows belong to projects. SSH keys belong to users and limits have no owner, so both are deleted with the
 * project.
 */
const kindsOfProjects = resourceList.flatMap(([name, { area, kind, calls }]) =>
  // rows of the server itself count if users can delete them, such as backup plans, but not alerts
  kind && (area || 'delete' in calls) && 'project_id' in kind.entity.shape
    ? [{ name, kind: kind.name, isKeeping: kind.visibility === 'project' }]
    : [],
)
/** Kinds whose rows prevent the deletion of their project. */
export const kindsInProjects = kindsOfProjects.filter(({ isKeeping }) => isKeeping)
/** Names of kinds whose rows are deleted with their project. */
export const kindsThatGo = kindsOfProjects.flatMap(({ kind, isKeeping }) => (isKeeping ? [] : [kind]))

/**
 * Returns the IDs, by kind, of the objects that are created and deleted together with every project: its default
 * security group and the rules of that group.
 */
export async function madeByItself(
  tx: Pick<RecordsTransaction, 'find'>,
  projectId: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const where = { project_id: projectId, name: DEFAULT_GROUP_NAME }
  const [group] = await tx.find<SecurityGroup>(securityGroupKind.name, where, 1)
  if (!group) return {}
  return {
    [securityGroupKind.name]: [group.id],
    [securityGroupRuleKind.name]: group.security_group_rules.map(({ id }) => id),
  }
}

/** Returns the number of rows in a project by resource, without resources that have no rows. */
export async function countIn(
  tx: Pick<RecordsTransaction, 'sum' | 'find'>,
  projectId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const fromTheStart = await madeByItself(tx, projectId)
  for (const { name, kind } of kindsInProjects) {
    const count = (await tx.sum(kind, { project_id: projectId })) - (fromTheStart[kind]?.length ?? 0)
    if (count > 0) counts[name] = count
  }
  return counts
}

/** Throws a `project_not_empty` error with the counts if the index contains rows of the project. */
export async function refuseFullProject(tx: RecordsTransaction, id: string): Promise<void> {
  const counts = await countIn(tx, id)
  if (Object.keys(counts).length === 0) return
  const things = Object.values(counts).reduce((sum, count) => sum + count, 0)
  throw problem('identity.project_not_empty', { things, recycled: counts['recycleBin'] ?? 0 }, { data: counts })
}
