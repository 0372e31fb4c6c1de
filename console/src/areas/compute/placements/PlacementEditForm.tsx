import { PlacementChange, placementKind, placements } from '@mainstay/contract/compute/placements'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useParam } from '../../../nav/use-param'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'
import { PlacementFields } from './PlacementFields'

const All = PlacementChange.required()

export default function PlacementEditForm() {
  const t = useT('compute')
  const id = useParam('placementId')
  const hasDetails = useEngineHasPlacementDetails()
  const { data } = useView(placements.view, { id }, { kind: placementKind })
  const update = useCall(placements.update, {
    refresh: [placements.list, placements.view],
    done: ({ name }) => toast(t('placements.saved', { name })),
  })
  if (!data) return null
  const { name, description, isolated } = data
  return (
    <FormDialog
      title={t('placements.editTitle', { name })}
      verb={t('placements.save')}
      schema={All}
      start={{ name, description, isolated }}
      send={(body) => update.run({ params: { id }, body })}
      closeTo={paths.placements.view(id)}
      barredBecause={hasDetails ? undefined : t('placements.fixed')}
    >
      <PlacementFields />
    </FormDialog>
  )
}
