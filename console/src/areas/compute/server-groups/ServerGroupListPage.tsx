import {
  serverGroupKind,
  serverGroupPolicies,
  serverGroups,
  type ServerGroup,
} from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../api/use-list'
import { textsNow, useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { AddLink } from '../../../patterns/AddLink'
import { columns } from '../../../patterns/columns'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import { Amount } from '../../../ui/Bytes'
import { DeleteIcon } from '../../../ui/icons'
import { policyWords } from './policy-words'
import { useServerGroupRemoval } from './use-server-group-removal'

const column = columns<ServerGroup>('compute')
const groupColumns = [
  column.link('name', 'serverGroups.name', paths.serverGroups.view),
  column.node('policy', 'serverGroups.policy', ({ policy }) => textsNow('compute')(policyWords[policy].label), {
    width: 260,
  }),
  column.node('members', 'serverGroups.members', ({ members }) => <Amount of={members.length} />, {
    isAtEnd: true,
    width: 150,
  }),
  column.project('project_id'),
]

export default function ServerGroupListPage() {
  const t = useT('compute')
  const list = useList(serverGroups.list, serverGroupKind)
  const { isAllowed, remove, actions } = useServerGroupRemoval()
  const add = (
    <AddLink to={paths.serverGroups.add()} needs={serverGroups.create.needs}>
      {t('serverGroups.add')}
    </AddLink>
  )
  return (
    <Page title={t('serverGroups.title')} actions={add} isFilled>
      <ResourceTable
        list={list}
        label={t('serverGroups.many')}
        columns={groupColumns}
        actions={actions}
        filters={[
          { name: 'name', label: t('serverGroups.name') },
          {
            name: 'policy',
            label: t('serverGroups.policy'),
            options: serverGroupPolicies.map((value) => ({ value, label: t(policyWords[value].label) })),
          },
        ]}
        bulk={
          isAllowed
            ? [
                {
                  label: t('delete'),
                  icon: DeleteIcon,
                  isDanger: true,
                  ask: (count) => t('serverGroups.deleteMany', { count }),
                  note: t('serverGroups.deleteNote'),
                  verb: (count) => t('serverGroups.deleteManyVerb', { count }),
                  done: (count) => t('serverGroups.deleted', { count }),
                  run: remove,
                },
              ]
            : []
        }
        empty={t('serverGroups.empty')}
        emptyAction={add}
      />
    </Page>
  )
}
