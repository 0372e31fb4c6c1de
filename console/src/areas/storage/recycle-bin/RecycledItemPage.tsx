import { recycleBin, recycledItemKind, type RecycledItem } from '@mainstay/contract/storage/recycle-bin'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useIsAllTenants } from '../../../session/session'
import { Banner } from '../../../ui/feedback/Banner'
import { Bytes } from '../../../ui/values/Bytes'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { itemStatus, kindText } from './item-words'
import { recycleBinResource } from './resource'
import css from './RecycledItemPage.module.css'
import { useItemActions } from './use-item-actions'

export default function RecycledItemPage() {
  const t = useT('recycleBin')
  const go = useAppNavigate()
  const view = useView(recycleBin.view, { id: useParam('id') }, { kind: recycledItemKind })
  const { actions } = useItemActions({ left: () => go(recycleBinResource.paths.list(), { keepsSearch: true }) })
  return (
    <DrawerPage
      view={view}
      what={t('items.one')}
      title={({ name }) => name}
      subtitle={(item) => {
        const { tone, text } = itemStatus(item, t)
        return <StatusBadge tone={tone}>{text}</StatusBadge>
      }}
      actions={actions}
      closeTo={recycleBinResource.paths.list()}
    >
      {(item) => <Details item={item} />}
    </DrawerPage>
  )
}

function Details({ item }: { item: RecycledItem }) {
  const t = useT('recycleBin')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const { fault, volumes, addresses, flavor_name, description } = item
  return (
    <div className={css.body}>
      {fault !== null && (
        <Banner tone="bad" title={t('fault')}>
          {fault}
        </Banner>
      )}
      <Facts
        rows={[
          [t('kind'), kindText(item, t)],
          [t('size'), <Bytes key="size" of={item.size} />],
          flavor_name !== null && [t('flavor'), <bdi key="flavor">{flavor_name}</bdi>],
          volumes.length > 0 && [
            t('volumes'),
            <ul key="volumes" className={css.list}>
              {volumes.map(({ id, name, size }) => (
                <li key={id}>
                  <bdi>{name || id}</bdi> <Bytes of={size} />
                </li>
              ))}
            </ul>,
          ],
          addresses.length > 0 && [t('addresses'), <bdi key="addresses">{addresses.join(', ')}</bdi>],
          [t('deletedBy'), <bdi key="by">{item.deleted_by}</bdi>],
          [t('deletedAt'), <Time key="at" at={item.deleted_at} show="both" />],
          [t('expiresAt'), <Time key="until" at={item.expires_at} show="both" />],
          description !== '' && [t('description'), description],
          ...standardFacts(item, patterns, isAllTenants),
        ]}
      />
    </div>
  )
}
