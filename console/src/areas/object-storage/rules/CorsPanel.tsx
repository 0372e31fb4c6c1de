import { useT } from '../../../i18n/use-t'
import { getCors, putCors } from '../client/settings'
import { s3Query } from '../keys'
import { refreshS3, useS3 } from '../use-s3'
import { CorsForm } from './CorsForm'
import { RulesPanel } from './RulesPanel'

/** Which other web pages may reach a bucket from a browser. */
export function CorsPanel({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const queryKey = s3Query.bucket(bucket, 'cors')
  const view = useS3(queryKey, (signal) => getCors(bucket, signal))
  return (
    <RulesPanel
      words="cors"
      view={view}
      lineOf={(rule, at) => {
        const origin = rule.origins.join(', ')
        return {
          ...{ key: `${rule.id}-${at}`, name: origin, notes: [t('cors.may', { methods: rule.methods.join(', ') })] },
          ...{ edit: t('cors.editNamed', { origin }), remove: t('cors.deleteNamed', { origin }) },
        }
      }}
      put={(rules, { document }) => putCors(bucket, rules, document)}
      renew={() => refreshS3(queryKey)}
      form={(held, rule, onClose) => <CorsForm {...{ bucket, held, rule, onClose }} />}
    />
  )
}
