import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { imageImports, type CatalogueImage } from '@mainstay/contract/compute/image-imports'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { taskKind, tasks, type Task } from '@mainstay/contract/core/tasks'
import { useList } from '../../../../api/use-list'
import { useView } from '../../../../api/use-view'
import { useMay } from '../../../../session/may'

const FETCHING = 'exact:compute.image.fetch'

/** Whether the user may import images and the engine supports it. Undefined until known. */
export function useCanImport(): boolean | undefined {
  const may = useMay()
  const isTold = may(computeCluster.view.needs)
  const { data, problem } = useView(computeCluster.view, {}, { isEnabled: isTold })
  if (!may(imageImports.create.needs) || !isTold || problem) return false
  return data?.capabilities.image_import
}

/** The name that a catalogue image gets when it is imported. */
export const nameInCloud = ({ name, version }: Pick<CatalogueImage, 'name' | 'version'>) => `${name} ${version}`

/** Running image imports, and a lookup of available images by name. */
export function useArrivals() {
  const here = useList(images.list, imageKind, { stateIn: 'memory', limit: WHOLE_LIMIT })
  const running = useList(tasks.list, taskKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { name: FETCHING, state: 'in:starting,running,cancelling' },
  })
  const nameOf = (task: Task) => (task.args[0] as { name?: string } | undefined)?.name ?? ''
  const fetching = running.rows.map((task) => ({ task, name: nameOf(task) }))
  return {
    isLoading: here.isLoading,
    fetching,
    imageOf: (name: string): Image | undefined =>
      here.rows.find((image) => image.name === name && image.status === 'active'),
  }
}
