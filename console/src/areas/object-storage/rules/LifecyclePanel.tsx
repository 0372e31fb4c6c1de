import { useT, type Translate } from '../../../i18n/use-t'
import { Badge } from '../../../ui/values/Badge'
import { getRules, putRules, type Rule } from '../client/settings'
import { s3Query } from '../keys'
import { refreshS3, useS3 } from '../use-s3'
import { RuleForm } from './RuleForm'
import { RulesPanel } from './RulesPanel'

/** Describes a rule, one sentence per action. */
function sentences(rule: Rule, t: Translate<'objectStorage'>): string[] {
  const { objectDays, versionDays, keptVersions, uploadDays, endsMarkers, source } = rule
  return [
    objectDays !== null && t('rules.objects', { days: objectDays }),
    versionDays !== null &&
      (keptVersions === null
        ? t('rules.versions', { days: versionDays })
        : t('rules.versionsKept', { days: versionDays, kept: keptVersions })),
    uploadDays !== null && t('rules.uploads', { days: uploadDays }),
    endsMarkers && t('rules.markers'),
    source !== null && t('rules.more'),
  ].filter((it): it is string => typeof it === 'string')
}

/** A bucket's lifecycle rules. */
export function LifecyclePanel({ bucket, keepsVersions }: { bucket: string; keepsVersions: boolean }) {
  const t = useT('objectStorage')
  const queryKey = s3Query.bucket(bucket, 'rules')
  const view = useS3(queryKey, (signal) => getRules(bucket, signal))
  return (
    <RulesPanel
      words="rules"
      view={view}
      lineOf={(rule) => {
        const place = rule.prefix === '' ? t('rules.everywhere') : rule.prefix
        return {
          ...{ key: rule.id, name: place, notes: sentences(rule, t) },
          ...{ edit: t('rules.editNamed', { rule: place }), remove: t('rules.deleteNamed', { rule: place }) },
          badge: !rule.isOn && <Badge>{t('rules.off')}</Badge>,
        }
      }}
      put={(rules, { document }) => putRules(bucket, rules, document)}
      renew={() => refreshS3(queryKey)}
      form={(held, rule, onClose) => <RuleForm {...{ bucket, held, keepsVersions, rule, onClose }} />}
    />
  )
}
