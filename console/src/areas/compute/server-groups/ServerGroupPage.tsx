import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { serverGroupKind, serverGroups, type ServerGroup } from '@mainstay/contract/compute/server-groups'
import { useList } from '../../../api/use-list'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { CopyableCode } from '../../../ui/CopyableCode'
import { InstanceStatus } from '../instances/InstanceStatus'
import { policyWords } from './policy-words'
import css from './ServerGroupPage.module.css'
import { useServerGroupRemoval } from './use-server-group-removal'

export default function ServerGroupPage() {
  const t = useT('compute')
  const go = useGo()
  const id = useParam('serverGroupId')
  const group = useView(serverGroups.view, { id }, { kind: serverGroupKind })
  const { actions } = useServerGroupRemoval({ deleted: () => go(paths.serverGroups.list(), { keepsSearch: true }) })
  return (
    <DrawerPage
      view={group}
      what={t('serverGroups.one')}
      title={({ name }) => name}
      closeTo={paths.serverGroups.list()}
      actions={actions}
    >
      {(it) => (
        <>
          <p className={css.policy}>{t(policyWords[it.policy].description)}</p>
          <Facts
            rows={[
              [t('serverGroups.policy'), t(policyWords[it.policy].label)],
              [t('serverGroups.members'), it.members.length > 0 && <Members key="members" group={it} />],
              [t('serverGroups.id'), <CopyableCode key="id">{it.id}</CopyableCode>],
            ]}
          />
        </>
      )}
    </DrawerPage>
  )
}

function Members({ group: { members } }: { group: ServerGroup }) {
  const { rows } = useList(instances.list, instanceKind, {
    stateIn: 'memory',
    only: { id: `in:${members.join(',')}` },
    limit: members.length,
  })
  return (
    <ul className={css.members}>
      {rows.map((instance) => (
        <li key={instance.id}>
          <Link to={paths.instances.view(instance.id)}>{instance.name}</Link>
          <InstanceStatus instance={instance} />
        </li>
      ))}
    </ul>
  )
}
