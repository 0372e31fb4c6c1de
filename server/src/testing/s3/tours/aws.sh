# Tour with the AWS CLI. $ENDPOINT: URL of object storage; the environment also has the keys and the region.
set -eu
s3() { aws --endpoint-url "$ENDPOINT" s3 "$@"; }
api() { aws --endpoint-url "$ENDPOINT" --output text s3api "$@"; }
is() { [ "$1" = "$2" ] || { echo "got $1, expected $2" >&2; exit 1; }; }

s3 mb s3://tour-aws
head -c 20000000 /dev/urandom > large
echo hello > small
s3 cp --no-progress large s3://tour-aws/dir/large
s3 cp --no-progress small "s3://tour-aws/dir/a name with + and ü"
s3 cp --no-progress s3://tour-aws/dir/large large.back && cmp large large.back
is "$(s3 ls s3://tour-aws/dir/ | wc -l)" 2
is "$(s3 ls s3://tour-aws/ | awk '{print $1 $2}')" PREdir/
s3 cp --no-progress - s3://tour-aws/from-a-stream < small
is "$(s3 cp --no-progress s3://tour-aws/from-a-stream -)" hello

mkdir -p tree/deep/er && for n in 1 2 3; do echo "$n" > "tree/deep/er/$n"; done
s3 sync --no-progress tree s3://tour-aws/tree
rm tree/deep/er/2 && s3 sync --no-progress --delete tree s3://tour-aws/tree
is "$(s3 ls --recursive s3://tour-aws/tree/ | wc -l)" 2
s3 mv --no-progress s3://tour-aws/tree/deep/er/1 s3://tour-aws/moved
s3 cp --no-progress s3://tour-aws/dir/large s3://tour-aws/copied
is "$(api head-object --bucket tour-aws --key copied --query ContentLength)" 20000000

link=$(s3 presign s3://tour-aws/dir/large --expires-in 60)
curl -sf "$link" | cmp - large

api put-bucket-versioning --bucket tour-aws --versioning-configuration Status=Enabled
echo again > small && s3 cp --no-progress small s3://tour-aws/moved
is "$(api list-object-versions --bucket tour-aws --prefix moved --query 'length(Versions)')" 2
s3 rm s3://tour-aws/moved
version=$(api list-object-versions --bucket tour-aws --prefix moved --query 'Versions[1].VersionId')
api get-object --bucket tour-aws --key moved --version-id "$version" old > /dev/null
is "$(cat old)" 1

api put-object-tagging --bucket tour-aws --key copied --tagging 'TagSet=[{Key=stage,Value=object}]'
is "$(api get-object-tagging --bucket tour-aws --key copied --query 'TagSet[0].Value')" object
api put-bucket-tagging --bucket tour-aws --tagging 'TagSet=[{Key=stage,Value=test}]'
is "$(api get-bucket-tagging --bucket tour-aws --query 'TagSet[0].Value')" test

s3 rm --recursive s3://tour-aws > removed
api list-object-versions --bucket tour-aws --output json \
  --query '{Objects: [Versions[].{Key:Key,VersionId:VersionId}, DeleteMarkers[].{Key:Key,VersionId:VersionId}][]}' > versions
api delete-objects --bucket tour-aws --delete file://versions > removed
s3 rb s3://tour-aws
if s3 ls s3://tour-aws 2> fault; then exit 1; fi
grep -q NoSuchBucket fault
echo done
