import { PlacementChange, PlacementDraft } from '@mainstay/contract/compute/placements'
import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/Checkbox'
import { TextArea } from '../../../patterns/form/TextArea'
import { TextField } from '../../../patterns/form/TextField'
import { form } from '../../../patterns/resource/form'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'
import { placementResource } from './resource'

/** What a placement is called and does; some clouds know of names alone. */
function Fields() {
  const t = useT('compute')
  const hasDetails = useEngineHasPlacementDetails()
  return (
    <>
      <TextField
        name="name"
        label={t('placements.name')}
        help={hasDetails ? undefined : t('placements.nameHelp')}
        autoFocus
      />
      {hasDetails && (
        <>
          <TextArea name="description" label={t('placements.description')} isOptional rows={2} />
          <Checkbox name="isolated" help={t('placements.isolatedHelp')}>
            {t('placements.isolated')}
          </Checkbox>
        </>
      )}
    </>
  )
}

function useBarred() {
  const t = useT('compute')
  return useEngineHasPlacementDetails() ? undefined : t('placements.fixed')
}

export default form(placementResource, {
  create: { schema: PlacementDraft, start: { name: '', description: '', isolated: false } },
  update: {
    schema: PlacementChange.required(),
    start: ({ name, description, isolated }) => ({ name, description, isolated }),
    useBarred,
  },
  Fields,
})
