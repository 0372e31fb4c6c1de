import { problem } from '@mainstay/contract/core/problems'
import { securityGroupRuleKind } from '@mainstay/contract/networking/security-group-rules'
import {
  DEFAULT_GROUP_NAME,
  securityGroupKind,
  type SecurityGroup,
} from '@mainstay/contract/networking/security-groups'
import { resourceList } from '@mainstay/contract/resources'
import type { RecordsTransaction } from './records'

/** Kinds of which rows are of projects. Keys belong to their users, and limits to nobody: they go with the project. */
const kindsOfProjects = resourceList.flatMap(([name, { area, kind }]) =>
  area && kind && 'project_id' in kind.entity.shape
    ? [{ name, kind: kind.name, isKeeping: kind.visibility === 'project' }]
    : [],
)
/** Kinds of which rows keep their project: it is not deleted while there are some. */
export const kindsInProjects = kindsOfProjects.filter(({ isKeeping }) => isKeeping)
/** Names of the kinds of which rows go with their project. */
export const kindsThatGo = kindsOfProjects.flatMap(({ kind, isKeeping }) => (isKeeping ? [] : [kind]))

/** Ids by kind of what a project has from the start: its first security group, with the rules of it. They go with it. */
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

/** How many rows there are in a project, by resource. Those of which there are none are left out. */
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

/** Throws `project_not_empty` with the counts of what the index has in a project. */
export async function refuseFullProject(tx: RecordsTransaction, id: string): Promise<void> {
  const counts = await countIn(tx, id)
  if (Object.keys(counts).length === 0) return
  const things = Object.values(counts).reduce((sum, count) => sum + count, 0)
  throw problem('identity.project_not_empty', { things, recycled: counts['recycleBin'] ?? 0 }, { data: counts })
}
