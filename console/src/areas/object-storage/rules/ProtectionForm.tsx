import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { NumberField, RadioCards } from '../../../patterns/form/form-fields'
import { Banner } from '../../../ui/feedback/Banner'
import { putProtection, type Protection } from '../client/settings'
import { s3Query } from '../keys'
import { refreshS3 } from '../use-s3'

/** Maximum retention in days that S3 accepts. */
const MOST_DAYS = 36_500

const schema = z.object({
  mode: z.enum(['GOVERNANCE', 'COMPLIANCE']),
  days: z.number().int().min(1).max(MOST_DAYS).nullable(),
})

/** Sets the default retention for new versions. `protection` null: enables object lock, which cannot be undone. */
export function ProtectionForm({
  bucket,
  protection,
  onClose,
}: {
  bucket: string
  protection: Protection | null
  onClose: () => void
}) {
  const t = useT('objectStorage')
  async function send(next: z.output<typeof schema>) {
    await putProtection(bucket, next)
    toast(t('protection.saved', { bucket }))
    void refreshS3(s3Query.bucket(bucket, 'object-lock'))
  }
  return (
    <FormDialog
      title={t(protection ? 'protection.change' : 'protection.turnOnTitle', { bucket })}
      verb={t(protection ? 'protection.save' : 'protection.turnOn')}
      schema={schema}
      start={{ mode: protection?.mode ?? 'GOVERNANCE', days: protection?.days ?? null }}
      send={send}
      onClose={onClose}
      code="none"
      place="middle"
    >
      {!protection && <Banner tone="warn">{t('protection.forGood')}</Banner>}
      <NumberField
        name="days"
        label={t('protection.days')}
        help={t('protection.daysHelp')}
        unit={t('rules.daysUnit')}
        minValue={1}
        maxValue={MOST_DAYS}
        isOptional
        autoFocus
      />
      <RadioCards
        name="mode"
        label={t('protection.mode')}
        items={[
          { id: 'GOVERNANCE', label: t('protection.modeGoverned'), description: t('protection.modeGovernedText') },
          { id: 'COMPLIANCE', label: t('protection.modeStrict'), description: t('protection.modeStrictText') },
        ]}
      />
    </FormDialog>
  )
}
