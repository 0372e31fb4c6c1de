import { read } from '@mainstay/contract/core/endpoint'
import { paths } from '../../nav/paths'
import { BucketIcon, MetricsIcon, OverviewIcon, TasksIcon } from '../../ui/icons'
import type { MenuGroup } from './menu-group'

export const serviceMenu: MenuGroup = {
  label: 'menu.main',
  entries: [
    { label: 'menu.monitoring', icon: OverviewIcon, to: paths.monitoring(), needs: read('overview') },
    { label: 'menu.tasks', icon: TasksIcon, to: paths.tasks(), needs: read('tasks') },
    { label: 'menu.engines', icon: MetricsIcon, to: paths.engines(), needs: read('engines') },
    { label: 'menu.s3', icon: BucketIcon, to: paths.s3(), needs: read('s3_service') },
  ],
}
