import { PASSWORD_LINK_HOURS, passwordLinks } from '@mainstay/contract/identity/password-links'
import { userKind, users } from '@mainstay/contract/identity/users'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { useParam } from '../../../nav/use-param'
import { useState } from 'react'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Dialog } from '../../../ui/overlays/Dialog'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { userResource } from './resource'

const days = PASSWORD_LINK_HOURS / 24

/** `/users/{id}/link`: a link with which a user chooses a password, to be handed over. */
export default function UserLinkPage() {
  const t = useT('identity')
  const shell = useT('shell')
  const patterns = useT('patterns')
  const id = useParam('id')
  const go = useGo()
  const { data: user } = useView(users.view, { id }, { kind: userKind })
  const [link, setLink] = useState<string>()
  const make = useCall(passwordLinks.create, {
    done: ({ token }) => setLink(`${location.origin}${paths.passwordLink(token)}`),
  })
  if (!user) return null
  const close = () => go(userResource.paths.view(id), { keepsSearch: true })
  const { name } = user
  return (
    <Dialog
      isOpen
      isFirm
      title={t('users.linkTitle', { name })}
      onClose={close}
      footer={
        link === undefined ? (
          <>
            <Button onPress={close}>{patterns('cancel')}</Button>
            <Button
              variant="primary"
              isBusy={make.isPending}
              onPress={() => make.start({ params: { domain_id: user.domain_id, id } })}
            >
              {t('users.linkMake')}
            </Button>
          </>
        ) : (
          <Button variant="primary" onPress={close}>
            {t('users.linkDone')}
          </Button>
        )
      }
    >
      {make.problem && <Banner tone="bad">{problemText(make.problem, shell)}</Banner>}
      {link === undefined ? (
        <p>{t('users.linkText', { name, days })}</p>
      ) : (
        <>
          <p>{t('users.linkMade', { name })}</p>
          <p>
            <CopyableCode>{link}</CopyableCode>
          </p>
        </>
      )}
    </Dialog>
  )
}
