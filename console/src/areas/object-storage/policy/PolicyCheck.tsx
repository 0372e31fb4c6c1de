import { useQuery } from '@tanstack/react-query'
import { asProblem } from '../../../api/problem'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { useWatched } from '../../../patterns/form/use-watched'
import { Banner } from '../../../ui/feedback/Banner'
import { validatePolicy } from '../client/policy'
import { serverMessage } from '../client/problem'
import { s3Query } from '../keys'
import { useAccount } from '../use-account'
import { policyFault } from './check'
import { lockOutOf } from './form-statements'
import css from './policy.module.css'

const pauseMs = 600

/**
 * Validates the policy while it is being edited, if the server supports that (`canLook`), and warns if it locks out the
 * bucket owner.
 */
export function PolicyCheck({ bucket, canLook }: { bucket: string; canLook: boolean }) {
  const t = useT('objectStorage')
  const account = useAccount()
  const json = useDebounced(useWatched<string>('json'), pauseMs)
  const isReadable = policyFault(json) === null
  const { error, isFetching, isSuccess } = useQuery({
    queryKey: s3Query.bucket(bucket, `check ${json}`),
    queryFn: () => validatePolicy(bucket, json).then(() => true),
    enabled: canLook && isReadable,
    gcTime: 0,
    retry: false,
  })
  const lock = isReadable && account.data ? lockOutOf(json, account.data.arn) : 'never'
  return (
    <>
      <p className={css.note} role="status">
        {!isReadable
          ? ''
          : isFetching
            ? t('policy.checking')
            : error
              ? serverMessage(asProblem(error))
              : isSuccess
                ? t('policy.checked')
                : ''}
      </p>
      {lock !== 'never' && (
        <Banner tone="warn">{t(lock === 'always' ? 'policy.lockAlways' : 'policy.lockSometimes')}</Banner>
      )}
    </>
  )
}
