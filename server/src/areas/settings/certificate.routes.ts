import { fieldProblem, problem } from '@mainstay/contract/core/problems'
import { ssl, type CertificateUpload } from '@mainstay/contract/settings/certificate'
import { judge, type CertificatePair } from '../../certificates/judge'
import { readUpload } from '../../certificates/read-upload'
import { serve, type CallRequest } from '../../http/serve'

/** Host name under which a browser opened the panel, or null for calls from programs. */
const hostOf = ({ ownAddress }: CallRequest): string | null =>
  ownAddress === null ? null : new URL(ownAddress).hostname.replace(/^\[|\]$/g, '')

const fileOf = ({ name, data }: { name: string; data: string }) => ({ name, bytes: Buffer.from(data, 'base64') })

/** Reads the certificate and key from an upload. Returns null if a self-signed certificate is requested. */
function wanted({ gen_cert: isOwn, cert, key, password }: CertificateUpload): CertificatePair | null {
  if (isOwn) return null
  if (!cert) throw fieldProblem('cert', 'settings.choose_certificate')
  return judge(readUpload(fileOf(cert), key ? fileOf(key) : null, password))
}

export const certificateRoutes = serve(
  ssl,
  {
    view: ({ request }, { certificate }) => certificate.about(hostOf(request)),
    async upload({ body, request }, { certificate }) {
      const { ssl: isOn } = certificate.about(null)
      if (body.ssl !== undefined && body.ssl !== isOn) throw problem('settings.tls_at_start')
      await certificate.replace(wanted(body))
      return certificate.about(hostOf(request))
    },
  },
  { about: 'certificate' },
)
