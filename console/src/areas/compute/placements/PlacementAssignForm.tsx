import { placementKind, placements, type Placement, type PlacementCarrier } from '@mainstay/contract/compute/placements'
import * as z from 'zod'
import { inTurn } from '../../../api/dry-run'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useBound } from '../../../patterns/form/use-bound'
import { Drawer } from '../../../ui/overlays/Drawer'
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { CarrierPicker } from './CarrierPicker'
import { carrierWords, isCarrier } from './carriers'
import css from './PlacementAssignForm.module.css'
import { placementResource } from './resource'

const Chosen = z.object({ ids: z.array(z.string()) })

/** `placements/{id}/assign/{carrier}`: assigns a placement to nodes, images or flavors. */
export default function PlacementAssignForm() {
  const t = useT('compute')
  const go = useAppNavigate()
  const id = useParam('id')
  const carrier = useParam('carrier')
  const { data } = useView(placements.view, { id }, { kind: placementKind })
  if (!isCarrier(carrier))
    return (
      <Drawer isOpen isModal title={t('placements.assign')} onClose={() => go(placementResource.paths.view(id))}>
        <ErrorPanel title={t('placements.carrierUnknown')} />
      </Drawer>
    )
  return data ? <AssignForm placement={data} carrier={carrier} /> : null
}

function AssignForm({ placement, carrier }: { placement: Placement; carrier: PlacementCarrier }) {
  const t = useT('compute')
  const patterns = useT('patterns')
  const { id, name, [carrier]: before = [] } = placement
  const settings = { refresh: [placements.list, placements.view] }
  const assign = useCall(placements.assign, settings)
  const withdraw = useCall(placements.withdraw, settings)

  /**
   * Adds carriers before it removes others: without any carrier, instances bound to the placement could not be
   * scheduled.
   */
  async function send({ ids }: z.output<typeof Chosen>) {
    const added = ids.filter((it) => !before.includes(it))
    const gone = before.filter((it) => !ids.includes(it))
    await inTurn([
      ...(added.length > 0 ? [() => assign.run({ params: { id, carrier }, body: { ids: added } })] : []),
      ...gone.map((carrier_id) => () => withdraw.run({ params: { id, carrier, carrier_id } })),
    ])
    toast(t('placements.saved', { name }))
  }
  return (
    <FormDialog
      title={t(carrierWords[carrier].title, { name })}
      verb={patterns('save')}
      schema={Chosen}
      start={{ ids: before }}
      send={send}
      closeTo={placementResource.paths.view(id)}
    >
      <p className={css.help}>{t(carrierWords[carrier].help)}</p>
      <Choice carrier={carrier} />
    </FormDialog>
  )
}

function Choice({ carrier }: { carrier: PlacementCarrier }) {
  const { value, onChange, error } = useBound<string[]>('ids')
  return (
    <div>
      <CarrierPicker
        carrier={carrier}
        chosen={value}
        onChoose={({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id))}
      />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
