import { loginLinks } from '@mainstay/contract/identity/login-link'
import { useView } from '../../../api/use-view'
import { Skeleton } from '../../../ui/feedback/Skeleton'
import { CopyButton } from '../../../ui/values/CopyButton'
import { Mono } from '../../../ui/values/Mono'
import css from './LoginLinks.module.css'

/** Where the users of a domain sign in, to be handed on. */
export function LoginLinks({ domainId }: { domainId: string }) {
  const { data, problem } = useView(loginLinks.list, { id: domainId })
  if (problem) return null
  if (!data) return <Skeleton width="240px" />
  return (
    <ul className={css.links}>
      {data.data.map(({ link, address }) => (
        <li key={link}>
          <Mono>{link}</Mono>
          <CopyButton value={address} />
        </li>
      ))}
    </ul>
  )
}
