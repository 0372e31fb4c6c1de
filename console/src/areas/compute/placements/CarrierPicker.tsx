import { flavorKind, flavors } from '@mainstay/contract/compute/flavors'
import { imageKind, images } from '@mainstay/contract/compute/images'
import { computeNodeKind, computeNodes } from '@mainstay/contract/compute/nodes'
import type { PlacementCarrier } from '@mainstay/contract/compute/placements'
import { MiB } from '@mainstay/contract/core/bytes'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { PickTable } from '../../../pickers/PickTable'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import { distroName } from '../images/image-words'

interface Choosing {
  chosen: readonly string[]
  onChoose: (item: { id: string }, isChosen: boolean) => void
}

/** Picker for nodes, images or flavors. Allows multiple selection. */
export function CarrierPicker({ carrier, ...choosing }: Choosing & { carrier: PlacementCarrier }) {
  const Picker = pickers[carrier]
  return <Picker {...choosing} />
}

const short = { stateIn: 'memory', limit: CHOICE_LIMIT } as const

const pickers: Readonly<Record<PlacementCarrier, React.ComponentType<Choosing>>> = {
  nodes(choosing) {
    const t = useT('compute')
    const list = useList(computeNodes.list, computeNodeKind, short)
    return (
      <PickTable
        {...choosing}
        isMultiple
        label={t('placements.nodesMany')}
        list={list}
        nameOf={({ host }) => host}
        empty={t('placements.noNodes')}
        columns={[
          { id: 'host', label: t('placements.name'), render: ({ host }) => host },
          {
            id: 'state',
            label: t('placements.state'),
            render: ({ state }) => t(state === 'up' ? 'placements.stateUp' : 'placements.stateDown'),
          },
        ]}
      />
    )
  },
  images(choosing) {
    const t = useT('compute')
    const list = useList(images.list, imageKind, short)
    return (
      <PickTable
        {...choosing}
        isMultiple
        label={t('placements.images')}
        list={list}
        empty={t('pickers.noImages')}
        columns={[
          { id: 'name', label: t('placements.name'), render: ({ name }) => name },
          { id: 'os', label: t('pickers.os'), isWide: true, render: ({ os_distro }) => distroName(os_distro) },
        ]}
      />
    )
  },
  flavors(choosing) {
    const t = useT('compute')
    const list = useList(flavors.list, flavorKind, short)
    return (
      <PickTable
        {...choosing}
        isMultiple
        label={t('flavors.many')}
        list={list}
        empty={t('pickers.noFlavors')}
        columns={[
          { id: 'name', label: t('placements.name'), render: ({ name }) => name },
          { id: 'vcpus', label: t('pickers.vcpus'), isAtEnd: true, render: ({ vcpus }) => <Amount of={vcpus} /> },
          { id: 'ram', label: t('pickers.memory'), isAtEnd: true, render: ({ ram }) => <Bytes of={ram * MiB} /> },
        ]}
      />
    )
  },
}
