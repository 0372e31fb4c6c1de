import { MAX_METADATA } from '@mainstay/contract/compute/instance-rules'
import { instances, MetadataKey, type Instance } from '@mainstay/contract/compute/instances'
import { useFieldArray, useFormState } from 'react-hook-form'
import * as z from 'zod'
import { inTurn } from '../../../../api/dry-run'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { useFormSetting } from '../../../../patterns/form/form-setting'
import { TextField } from '../../../../patterns/form/form-fields'
import { Button } from '../../../../ui/Button'
import { IconButton } from '../../../../ui/IconButton'
import { AddIcon, DeleteIcon } from '../../../../ui/icons'
import type { EditProps } from './EditName'
import { FieldFault } from '../../../../patterns/form/FieldFault'
import { whyNot } from '../instance-reasons'
import css from './EditMetadata.module.css'

interface Word {
  key: string
  value: string
}

const wordsOf = (metadata: Instance['metadata']): Word[] =>
  Object.entries(metadata)
    .map(([key, value]) => ({ key, value }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))

/**
 * Edits an instance's metadata as key-value pairs. Keys are removed first, to stay within the limit when new ones are
 * added.
 */
export function EditMetadata({ instance, closeTo }: EditProps) {
  const t = useT('instance')
  const list = useT('instances')
  const { id, name, metadata: before } = instance
  const set = useCall(instances.setMetadata, { refresh: [instances.timeline] })
  const remove = useCall(instances.removeMetadata, { refresh: [instances.timeline] })

  const Words = z.object({
    metadata: z
      .array(z.object({ key: MetadataKey, value: z.string().max(255, t('instances.metadata.tooLong')) }))
      .superRefine((words, context) => {
        for (const [at, { key }] of words.entries())
          if (words.findIndex((word) => word.key === key) < at)
            context.addIssue({ code: 'custom', path: [at, 'key'], message: t('instances.metadata.twice') })
      }),
  })

  async function send({ metadata }: z.output<typeof Words>) {
    const gone = Object.keys(before).filter((key) => !metadata.some((word) => word.key === key))
    const changed = metadata.filter(({ key, value }) => before[key] !== value)
    const body = { metadata: Object.fromEntries(changed.map(({ key, value }) => [key, value])) }
    await inTurn([
      ...gone.map((key) => () => remove.run({ params: { id, key } })),
      ...(changed.length > 0 ? [() => set.run({ params: { id }, body })] : []),
    ])
  }

  return (
    <FormDialog
      title={t('instances.editMetadata', { name })}
      verb={t('instances.save')}
      schema={Words}
      start={{ metadata: wordsOf(before) }}
      send={send}
      closeTo={closeTo}
      barredBecause={whyNot('editMetadata', instance, list)}
    >
      <p className={css.help}>{t('instances.metadata.help')}</p>
      <Pairs />
    </FormDialog>
  )
}

function Pairs() {
  const t = useT('instance')
  const { isBusy } = useFormSetting()
  const { fields, append, remove } = useFieldArray<{ metadata: Word[] }>({ name: 'metadata' })
  const { errors } = useFormState<{ metadata: Word[] }>({ name: 'metadata' })
  return (
    <div className={css.pairs}>
      {fields.map(({ id, key }, at) => (
        <div key={id} className={css.pair}>
          <TextField name={`metadata.${at}.key`} label={t('instances.metadata.key')} isMono autoFocus={key === ''} />
          <TextField name={`metadata.${at}.value`} label={t('instances.metadata.value')} />
          <IconButton
            className={css.remove}
            icon={DeleteIcon}
            label={t('instances.metadata.remove', { number: at + 1 })}
            isDisabled={isBusy}
            onPress={() => remove(at)}
          />
        </div>
      ))}
      {fields.length === 0 && <p className={css.help}>{t('instances.metadata.none')}</p>}
      <FieldFault>{errors.metadata?.root?.message ?? errors.metadata?.message}</FieldFault>
      <Button
        className={css.add}
        icon={AddIcon}
        isDisabled={isBusy}
        disabledBecause={
          fields.length < MAX_METADATA ? undefined : t('instances.metadata.most', { most: MAX_METADATA })
        }
        onPress={() => append({ key: '', value: '' }, { shouldFocus: false })}
      >
        {t('instances.metadata.add')}
      </Button>
    </div>
  )
}
