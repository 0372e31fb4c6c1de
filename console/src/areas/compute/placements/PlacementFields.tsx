import { useT } from '../../../i18n/use-t'
import { Checkbox } from '../../../patterns/form/Checkbox'
import { TextArea } from '../../../patterns/form/TextArea'
import { TextField } from '../../../patterns/form/TextField'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'

/** What a placement is called and does; some clouds know of names alone. */
export function PlacementFields() {
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
