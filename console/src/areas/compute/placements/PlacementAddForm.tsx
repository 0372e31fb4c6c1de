import { PlacementDraft, placements } from '@mainstay/contract/compute/placements'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { PlacementFields } from './PlacementFields'

export default function PlacementAddForm() {
  const t = useT('compute')
  const create = useCall(placements.create, {
    refresh: [placements.list],
    done: ({ name }) => toast(t('placements.added', { name })),
  })
  return (
    <FormDialog
      title={t('placements.add')}
      verb={t('placements.add')}
      schema={PlacementDraft}
      start={{ name: '', description: '', isolated: false }}
      send={(body) => create.run({ body })}
      closeTo={paths.placements.list()}
    >
      <PlacementFields />
    </FormDialog>
  )
}
