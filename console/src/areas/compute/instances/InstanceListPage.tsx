import { useMemo } from 'react'
import { images } from '@mainstay/contract/compute/images'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { paths } from '../../../nav/paths'
import { AddLink } from '../../../patterns/AddLink'
import { Page } from '../../../patterns/Page'
import { ResourceTable } from '../../../patterns/ResourceTable'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { ImageIcon } from '../../../ui/icons'
import { instanceColumns } from './instance-columns'
import { useInstanceFilters } from './use-instance-filters'
import { useInstanceActions } from './use-instance-actions'
import { useInstanceBulk } from './use-instance-bulk'

export default function InstanceListPage() {
  const t = useT('compute')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const list = useList(instances.list, instanceKind)
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory', limit: 100 })
  const filters = useInstanceFilters(networkList.rows)
  const actions = useInstanceActions()
  const bulk = useInstanceBulk()
  const columns = useMemo(() => instanceColumns(isAllTenants), [isAllTenants])
  const add = (
    <AddLink to={paths.instances.add()} needs={instances.create.needs}>
      {t('instances.add')}
    </AddLink>
  )
  const hasNoNetwork = !networkList.isLoading && !networkList.problem && networkList.rows.length === 0

  return (
    <Page
      title={t('instances.title')}
      isFilled
      actions={
        <>
          {/* the menu has no images: they are reached from what is made of them */}
          {may(images.list.needs) && (
            <Link to={paths.images.list()} className={buttonClass({ variant: 'quiet' })}>
              <ImageIcon />
              <span>{t('images.title')}</span>
            </Link>
          )}
          {add}
        </>
      }
    >
      <ResourceTable
        list={list}
        label={t('instances.many')}
        columns={columns}
        actions={actions.all}
        filters={filters}
        bulk={bulk}
        empty={hasNoNetwork ? t('instances.emptyNoNetwork') : t('instances.empty')}
        emptyAction={add}
      />
    </Page>
  )
}
