import { serverGroupPolicies, type ServerGroup, type ServerGroupDraft } from '@mainstay/contract/compute/server-groups'
import { useT } from '../../../i18n/use-t'
import { columns } from '../../../patterns/table/columns'
import { fields } from '../../../patterns/resource/fields'
import { screens } from '../../../patterns/resource/screens'
import { Amount } from '../../../ui/values/Bytes'
import { policyWords } from './policy-words'
import { serverGroupResource } from './resource'
import css from './server-group-screens.module.css'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useList } from '../../../api/use-list'
import { Link } from '../../../nav/Link'
import { InstanceStatus } from '../instances/InstanceStatus'
import { instanceResource } from '../instances/resource'

/** The instances in a group, with their status. */
function ServerGroupMembers({ ids }: { ids: readonly string[] }) {
  const { rows } = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    only: { id: `in:${ids.join(',')}` },
    limit: ids.length,
  })
  return (
    <ul className={css.members}>
      {rows.map((instance) => (
        <li key={instance.id}>
          <Link to={instanceResource.paths.view(instance.id)}>{instance.name}</Link>
          <InstanceStatus instance={instance} />
        </li>
      ))}
    </ul>
  )
}

const column = columns<ServerGroup>('compute')
// in display order: most common first
const policies = Object.entries(policyWords).map(([id, words]) => ({ id, ...words }))
const field = fields<ServerGroupDraft>('compute')

export default screens(serverGroupResource, {
  columns: [
    column.link('name', 'serverGroups.name', serverGroupResource.paths.view),
    column.node('policy', 'serverGroups.policy', ({ policy }, { t }) => t(policyWords[policy].label), {
      width: 260,
      card: 'plain',
    }),
    column.node('members', 'serverGroups.members', ({ members }) => <Amount of={members.length} />, {
      isAtEnd: true,
      width: 150,
    }),
    column.project('project_id'),
  ],
  filters: (t) => [
    'name',
    { name: 'policy', options: serverGroupPolicies.map((value) => ({ value, label: t(policyWords[value].label) })) },
  ],
  deleteNote: 'serverGroups.deleteNote',
  facts: ({ policy, members }, t) => [
    [t('serverGroups.policy'), <Policy key="policy" policy={policy} />],
    [t('serverGroups.members'), members.length > 0 && <ServerGroupMembers ids={members} />],
  ],
  form: {
    create: {
      schema: () => import('@mainstay/contract/compute/server-groups').then((it) => it.ServerGroupDraft),
      start: { name: '', policy: 'soft-anti-affinity' },
    },
    fields: [field.text('name', 'serverGroups.name'), field.cards('policy', 'serverGroups.policy', policies)],
  },
})

function Policy({ policy }: Pick<ServerGroup, 'policy'>) {
  const t = useT('compute')
  const { label, description } = policyWords[policy]
  return (
    <>
      <bdi>{t(label)}</bdi>
      <p className={css.policy}>{t(description)}</p>
    </>
  )
}
