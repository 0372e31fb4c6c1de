import { useMemo } from 'react'
import { images } from '@mainstay/contract/compute/images'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { useList } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { ResourceListPage } from '../../../../patterns/resource/ResourceListPage'
import { useMay } from '../../../../session/may'
import { useIsAllTenants } from '../../../../session/session'
import { buttonClass } from '../../../../ui/button-class'
import { ImageIcon } from '../../../../ui/icons'
import { imageResource } from '../../images/resource'
import { instanceColumns } from './instance-columns'
import { instanceResource } from '../resource'
import { useInstanceFilters } from './use-instance-filters'
import { useInstanceActions } from '../use-instance-actions'
import { useInstanceBulk } from './use-instance-bulk'

export default function InstanceListPage() {
  const t = useT('instances')
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const list = useList(instances.list, instanceKind)
  // the rows come first: what filters choose from, and why there may be none, is asked for after them
  const isThere = !list.isLoading
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory', limit: 100, isEnabled: isThere })
  const filters = useInstanceFilters(networkList.rows, isThere)
  const actions = useInstanceActions()
  const bulk = useInstanceBulk()
  const columns = useMemo(() => instanceColumns(isAllTenants), [isAllTenants])
  // the sentence in an empty list must not change under the eye
  const isLoading = list.isLoading || (list.rows.length === 0 && networkList.isLoading)
  const hasNoNetwork = !networkList.isLoading && !networkList.problem && networkList.rows.length === 0
  // the menu has no images: they are reached from what is made of them
  const toImages = may(images.list.needs) && (
    <Link to={imageResource.paths.list()} className={buttonClass({ variant: 'quiet' })}>
      <ImageIcon />
      <span>{t('instances.images')}</span>
    </Link>
  )
  return (
    <ResourceListPage
      resource={instanceResource}
      list={{ ...list, isLoading }}
      links={toImages}
      columns={columns}
      actions={actions.all}
      filters={filters}
      bulk={bulk}
      empty={hasNoNetwork ? t('instances.emptyNoNetwork') : undefined}
    />
  )
}
