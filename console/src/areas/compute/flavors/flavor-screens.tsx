import type { Flavor, FlavorDraft } from '@mainstay/contract/compute/flavors'
import { MiB } from '@mainstay/contract/core/bytes'
import { columns } from '../../../patterns/table/columns'
import { fields } from '../../../patterns/resource/fields'
import { screens } from '../../../patterns/resource/screens'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import { flavorResource } from './resource'

const column = columns<Flavor>('compute')
const field = fields<FlavorDraft>('compute')
const size = { isAtEnd: true, width: 110 }
const swapOf = ({ swap }: Flavor) => (swap > 0 ? <Bytes of={swap * MiB} /> : '–')

export default screens(flavorResource, {
  columns: [
    column.link('name', 'flavors.name', flavorResource.paths.view),
    column.number('vcpus', 'flavors.vcpus'),
    column.node('ram', 'flavors.ram', ({ ram }) => <Bytes of={ram * MiB} />, size),
    column.node('swap', 'flavors.swap', swapOf, size),
    column.created('created_at'),
    column.ownId(),
  ],
  filters: () => ['name'],
  deleteNote: 'flavors.deleteNote',
  facts: (flavor, t) => [
    [t('flavors.vcpus'), <Amount key="vcpus" of={flavor.vcpus} />],
    [t('flavors.ram'), <Bytes key="ram" of={flavor.ram * MiB} />],
    [t('flavors.swap'), swapOf(flavor)],
    [t('flavors.public'), t(flavor.is_public ? 'flavors.everybody' : 'flavors.operators')],
  ],
  form: {
    create: {
      schema: () => import('@mainstay/contract/compute/flavors').then((it) => it.FlavorDraft),
      start: { name: '', vcpus: 1, ram: 1024, swap: 0 },
    },
    fields: [
      field.text('name', 'flavors.name', { help: 'flavors.nameHelp' }),
      field.number('vcpus', 'flavors.vcpus', { minValue: 1, maxValue: 240 }),
      field.number('ram', 'flavors.ram', { unit: 'MiB', minValue: 64, step: 64 }),
      field.number('swap', 'flavors.swap', { help: 'flavors.swapHelp', unit: 'MiB', minValue: 0 }),
    ],
  },
})
