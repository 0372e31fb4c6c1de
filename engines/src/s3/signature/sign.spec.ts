import { expect, it } from 'vitest'
import { signRequest } from './sign'
import { readTarget } from './target'
import { verifyRequest } from './verify'

// examples from "Signature Calculations for the Authorization Header" in the Amazon S3 API reference
const signer = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const at = new Date('2013-05-24T00:00:00Z')
const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const host = 'examplebucket.s3.amazonaws.com'

const signed = (method: string, url: string, headers: Record<string, string> = {}, payload = empty) =>
  signRequest({ method, ...readTarget(url), headers: { host, ...headers }, payload }, signer, 'us-east-1', at)

it.each([
  [
    'an object',
    signed('GET', '/test.txt', { range: 'bytes=0-9' }),
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a parameter without a value',
    signed('GET', '/?lifecycle'),
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'parameters in any order',
    signed('GET', '/?prefix=J&max-keys=2'),
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'an upload',
    signed(
      'PUT',
      '/test$file.text',
      { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    ),
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
])('signs %s as in the AWS reference', (_, { authorization }, signature) => {
  expect(authorization).toContain('Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request')
  expect(authorization!.slice(-64)).toBe(signature)
})

it('quickly rejects a signature that names a header twice', async () => {
  const payload = 'UNSIGNED-PAYLOAD'
  const headers = signRequest(
    { method: 'GET', path: '/b/k', query: [], headers: { host, a: 'a  '.repeat(4000) }, payload },
    signer,
    'us-east-1',
  )
  const verify = (authorization: string) =>
    verifyRequest(
      { ...{ method: 'GET', path: '/b/k', rawPath: '/b/k', query: [] }, headers: { ...headers, authorization } },
      async () => signer.secretKey,
      { acceptsV2: false },
    )
  expect(await verify(headers['authorization']!)).toMatchObject({ accessKey: signer.accessKey })
  // each repetition would add the whole value to the hashed string
  const many = headers['authorization']!.replace('SignedHeaders=a;', `SignedHeaders=${'a;'.repeat(4000)}`)
  const spent: number[] = []
  // several times, because the process may collect garbage in between
  for (let time = 0; time < 3; time++) {
    const began = process.cpuUsage()
    await expect(verify(many)).rejects.toMatchObject({ code: 'InvalidRequest' })
    const { user, system } = process.cpuUsage(began)
    spent.push((user + system) / 1000)
  }
  expect(Math.min(...spent)).toBeLessThan(100)
})
