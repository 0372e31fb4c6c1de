import { MAX_INSTANCES_PER_CREATE } from '@mainstay/contract/compute/instance-rules'
import { useT } from '../../../../i18n/use-t'
import { NumberField, TextField } from '../../../../patterns/form/form-fields'
import { useWatched } from '../../../../patterns/form/use-watched'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import css from './MainFields.module.css'

/** Name and count. If the count is greater than one, the help text lists the resulting names. */
export function MainFields({ isInFront }: { isInFront: boolean }) {
  const t = useT('instance')
  const list = useT('instances')
  const name = useWatched<string>('name')
  const count = useWatched<number | null>('count')
  return (
    <div className={css.fields}>
      {/* the collapsible sections below use level 3 headings */}
      <VisuallyHidden>
        <h2>{t('instances.add.main')}</h2>
      </VisuallyHidden>
      <TextField
        name="name"
        label={list('instances.name')}
        autoFocus={isInFront}
        help={
          (count ?? 1) > 1 && name !== ''
            ? t('instances.add.names', { first: `${name}-1`, last: `${name}-${count ?? 1}` })
            : t('instances.add.nameHelp')
        }
      />
      <NumberField name="count" label={t('instances.add.count')} minValue={1} maxValue={MAX_INSTANCES_PER_CREATE} />
    </div>
  )
}
