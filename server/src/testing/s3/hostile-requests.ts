/* Requests that no regular client sends, but an attacker may. */

const many = (text: string, count: number) => text.repeat(count)
const deleting = (inner: string) => `<Delete>${inner}</Delete>`
const acl = (inner: string) =>
  `<AccessControlPolicy xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><Owner><ID>x</ID></Owner><AccessControlList>${inner}</AccessControlList></AccessControlPolicy>`
const streaming = {
  ...{ 'content-encoding': 'aws-chunked', 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' },
  ...{ 'x-amz-decoded-content-length': '5', 'x-amz-trailer': 'x-amz-checksum-crc32' },
}
/** Method, path below the bucket, headers and body. An object called `wall` may exist. */
export type HostileRequest = readonly [string, string, Record<string, string>?, string?]

const sent = (...request: HostileRequest): HostileRequest => request

/** Requests that each break one rule of S3. `bucket`: the target bucket. */
export const hostileRequests = (bucket: string): readonly HostileRequest[] => [
  ...[
    '',
    'x',
    '<',
    '<Delete/>',
    deleting(many('<Object><Key>k</Key></Object>', 1001)),
    deleting(many('<Object/>', 60_000)),
    deleting(`<Object><Key>${many('k', 5000)}</Key></Object>`),
    deleting('<Object><Key>k</Key><VersionId>nonsense</VersionId></Object>'),
    deleting('<Object><Key>k</Key><Size>1e99</Size><LastModifiedTime>never</LastModifiedTime></Object>'),
    many('<Delete>', 50_000),
    `<Delete ${Array.from({ length: 20_000 }, (_, at) => `a${at}="b"`).join(' ')}/>`,
    '<!DOCTYPE a [<!ENTITY b "bb">]><Delete><Object><Key>&b;</Key></Object></Delete>',
    deleting('<Object><Key>&#x110000;</Key></Object>'),
    `<Delete>${many('&amp;', 100_000)}</Delete>`,
  ].map((body) => sent('POST', '?delete', {}, body)),
  ...['?acl', '/wall?acl'].flatMap((path) =>
    [
      'x',
      acl(''),
      acl('<Grant/>'),
      acl('<Grant><Grantee xsi:type="Nobody"><ID>x</ID></Grantee><Permission>READ</Permission></Grant>'),
      acl('<Grant><Grantee><EmailAddress>a@b.example</EmailAddress></Grantee><Permission>READ</Permission></Grant>'),
      acl('<Grant><Grantee><URI>http://[</URI></Grantee><Permission>EVERYTHING</Permission></Grant>'),
      acl(many('<Grant><Grantee><ID>x</ID></Grantee><Permission>READ</Permission></Grant>', 400)),
    ].map((body) => sent('PUT', path, {}, body)),
  ),
  ...['?tagging', '/wall?tagging', '?cors', '?lifecycle', '?policy', '?versioning', '?object-lock', '?encryption']
    .concat(['?ownershipControls', '?publicAccessBlock', '/wall?retention', '/wall?legal-hold', '?requestPayment'])
    .flatMap((path) =>
      ['', '<', '{"Statement":', '<A/>', `<A>${many('<B/>', 10_000)}</A>`, '{"Statement":[[[[{}]]]]}', 'null', '0'].map(
        (body) => sent('PUT', path, {}, body),
      ),
    ),
  ...['ffffffffffffffff\r\nhello', '-1\r\n', '5\r\nhell', '5\r\nhello!!', '6\r\nhello!\r\n0\r\n\r\n', '0\r\n\r\n', '']
    .concat([
      `5;${many('e', 100_000)}\r\nhello\r\n0\r\n\r\n`,
      `${many('0', 100_000)}5\r\nhello`,
      'z\r\n',
      '5\nhello\n0\n\n',
    ])
    .map((body) => sent('PUT', '/wall-torn', streaming, body)),
  ...['', '-1', '1e3', 'x', '99999999999999999999', '5 5'].map((length) =>
    sent('PUT', '/wall-torn', { ...streaming, 'x-amz-decoded-content-length': length }, '5\r\nhello\r\n0\r\n\r\n'),
  ),
  ...Object.entries({
    'content-md5': ['x', many('A', 22)],
    'x-amz-content-sha256': ['STREAMING-NONSENSE', 'x', many('f', 64)],
    'x-amz-copy-source': ['%', '/', 'a', '%ff/%ff', many('%2F', 3000), `${bucket}/wall?versionId=x`],
    'x-amz-grant-read': ['id', 'id="', many('id="x",', 1500), many(' ', 9000), many('"', 9000)],
    'x-amz-tagging': ['%', 'a=%ff', many('a=b&', 2000), many('=', 5000)],
    'x-amz-object-lock-retain-until-date': ['never', '99999-01-01T00:00:00Z', '-1'],
    'x-amz-server-side-encryption': ['x', 'aws:kms'],
    'x-amz-server-side-encryption-customer-key': ['x', many('A', 44)],
    'x-amz-checksum-crc32': ['x', ''],
    'x-amz-sdk-checksum-algorithm': ['x'],
    'x-amz-acl': ['x'],
    'if-match': [many('"a",', 2000)],
    'if-none-match': ['"a"', many(',', 8000)],
    origin: [many('a', 9000), 'null'],
    expires: ['x'],
  }).flatMap(([name, values]) => values.map((value) => sent('PUT', '/wall-odd', { [name]: value }, 'x'))),
  ...[
    'range',
    'if-range',
    'if-modified-since',
    'if-unmodified-since',
    'if-match',
    'x-amz-expected-bucket-owner',
  ].flatMap((name) =>
    ['bytes=0-99999999999999999999', `bytes=${many('0-0,', 2000)}`, 'bytes=--', '0', '-1', many('9', 5000)].map(
      (value) => sent('GET', '/wall', { [name]: value }),
    ),
  ),
  ...['max-keys=-1', 'max-keys=1e9', 'list-type=3', 'continuation-token=%00', 'continuation-token=%ff', 'prefix=%00']
    .concat([
      'delimiter=%00',
      'encoding-type=x',
      'start-after=%F4%90%80%80',
      'versions&key-marker=%00&version-id-marker=x',
    ])
    .concat(['uploads&upload-id-marker=x&key-marker=x', 'versions&version-id-marker=x', `prefix=${many('a', 10_000)}`])
    .map((query) => sent('GET', `?${query}`)),
  ...['uploadId=x&partNumber=1', 'uploadId=&partNumber=0', 'uploadId=x&partNumber=99999'].flatMap((query) =>
    ['PUT', 'POST', 'DELETE'].map((method) => sent(method, `/wall?${query}`, {}, 'x')),
  ),
  ...['versionId=x', 'versionId=', 'versionId=%00', 'attributes', 'torrent', 'response-expires=%0d%0aa:b'].map(
    (query) => sent('GET', `/wall?${query}`),
  ),
  ...['PATCH', 'TRACEY', 'LOCK', 'HEAD', 'OPTIONS'].flatMap((method) =>
    ['', '/wall'].map((path) => sent(method, path)),
  ),
]
